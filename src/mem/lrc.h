// The L2 request coalescer (LRC) between the SMs of a GPC and L2: a read of sectors that another SM of the GPC is already
// waiting for goes no further and gets the same answer.
//
// The rules
//   Who       Any two SMs of a GPC, whether they share a TPC or not.
//   How long  From a read's arrival until its answer: `hit_window` when L2 has the sectors, `fill_window` when device
//             memory must be read.
//   How many  An answer goes to `max_readers` SMs; the next reader's request goes on to L2 and opens another round.
//   What      All sectors asked for must be among those under way.
// Sources: measured on an H200 (tests/hardware/merge_sms.cu): two SMs of a cluster that read a line less than 200
// cycles apart make one request whichever they are, half of them do so at 400, none at 1,600; sixteen at once make
// 1,054 requests for 256 lines; 30 cycles apart 1,168; 60 apart, when all but the first group find the line in L2,
// 1,848. How many lines the hardware remembers is not known; here it is enough that two seldom share a place.
#ifndef MEM_LRC_H
#define MEM_LRC_H
#include "device/device.h"
#include <stdbool.h>
#include <stdint.h>

struct pending_read {
    uint64_t until_ticks;
    uint32_t launch, line;
    uint8_t sectors, n_readers;
};

struct lrc {
    struct pending_read *reads; // of all GPCs, a table each
    uint64_t hit_window_ticks, fill_window_ticks;
    uint32_t launch;      // reads of earlier ones count no longer
    uint32_t max_readers; // below 2: the device has none
};

void lrc_init(struct lrc *lrc, const struct device *device, uint32_t n_gpcs, uint32_t ticks_per_cycle);
void lrc_release(struct lrc *lrc);
void lrc_new_launch(struct lrc *lrc); // nothing is under way

// True: the read is answered together with an earlier one.
bool lrc_join(struct lrc *lrc, uint32_t gpc, uint32_t line, uint32_t sectors, uint64_t now_ticks);
// The read went on to L2, which had all its sectors or not.
void lrc_open(struct lrc *lrc, uint32_t gpc, uint32_t line, uint32_t sectors, uint64_t now_ticks,
                    bool is_hit);
#endif
