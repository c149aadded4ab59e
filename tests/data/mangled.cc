// The source of mangled.txt, a spread of name forms: g++ -std=c++17 -c mangled.cc && nm mangled.o | awk '{ print $NF }' | grep ^_Z | sort -u
#include <cstddef>
#include <cstdint>
#include <vector>
#include <string>
#include <utility>
#include <tuple>
#include <functional>
#include <complex>
namespace {
struct hidden { int x; };
template <class T> __attribute__((noinline,used)) void anon_kernel(T *p, hidden h) { p[0] = h.x; }
__attribute__((noinline,used)) void anon_plain(int *p) { p[0]=1; }
}
namespace ns { namespace inner { enum class Mode { A, B }; struct Params { int n; };
template <class T, int N> struct Vec { T at[N]; };
template <class T, int N, bool B> void kernel(Vec<T, N> *out, const Vec<T, N> *in, const Params p) { out[0] = in[p.n]; }
template <Mode M> void by_mode(float *p) { p[0] = (int)M; }
template <class F, class... A> void apply(F f, A... a) { f(a...); }
struct K { template <class T> void member(T t) const { (void)t; } void operator()(int) const {} K(int){} ~K(){} operator int() const { return 1;} };
template <class T> struct TK { void run(T*, const T&); template <class U> U cast(T, U); };
template <class T> void TK<T>::run(T*a, const T&b) { *a = b; }
template <class T> template <class U> U TK<T>::cast(T, U u) { return u; }
}}
extern "C" void plain_c(int) {}
void saxpy(int, float, float *, const float *) {}
void two(const float *const *, float *const, volatile int *, int &, const int &, int &&) {}
void fp(void (*)(int, float), int (*)(double *), int (&)[4], const float (*)[8][2], int (ns::inner::K::*)(int), int ns::inner::Params::*) {}
void many(char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, float, double, long double, bool, wchar_t, char16_t, char32_t, std::nullptr_t, __int128, unsigned __int128) {}
void noargs() {}
void ell(int, ...) {}
template <int N> void tr(float *, const float *, int) {}
template <unsigned N, long L, unsigned long long U, char C, bool B, signed char S> void lits() {}
template <class T> T ret(T t) { return t; }
template <class T> const T *retp(const T *t) { return t; }
template <class... T> void pack(T *...) {}
template <class... T> void packr(const T &...) {}
template <class... T> void packv(int, T...) {}
template <template <class> class C, class T> void tt(C<T> *) {}
template <class T> struct One {};
template <int *P> void ptrarg() {}
void vec(std::vector<int>, std::vector<std::vector<float>> &, std::string, std::pair<int, std::string>) {}
void fn(std::function<void(int)>, std::tuple<int, float, char*>) {}
void cplx(std::complex<float> *, const std::complex<double> *) {}
struct S { static void st(S *, S); void operator+(const S &) const; S operator*(int) &; void vol() volatile; };
void S::st(S *, S) {} void S::operator+(const S &) const {} S S::operator*(int) & { return *this; } void S::vol() volatile {}
template <class T> void outer(T t) { auto l = [](T x, int y) { return x + y; }; ns::inner::apply(l, t, 3); struct Local { int a; }; ret(Local{1}); }
using fptr = void (*)(int);
fptr retf(int) { return nullptr; }
template <class T> void (*retft(T))(T) { return nullptr; }
int gl;
int main(int argc, char **) {
  anon_kernel<float>(nullptr, {1}); anon_plain(&gl);
  ns::inner::kernel<float, 4, true>(nullptr, nullptr, {}); ns::inner::kernel<double, -1 + 2, false>(nullptr, nullptr, {});
  ns::inner::by_mode<ns::inner::Mode::B>(nullptr); ns::inner::K k(1); k.member(2.0f); k(1); (void)(int)k; ns::inner::TK<int> tk; tk.run(&gl, gl); tk.cast<float>(1, 2.f);
  ns::inner::apply([](int) {}, 1); 
  tr<32>(0, 0, 0); tr<-5>(0,0,0); lits<1, -2, 3, 'a', true, -1>(); ret(1); ret(&argc); ret<const char *>(""); retp(&argc); retp<ns::inner::Params>(nullptr);
  pack<int, float>(nullptr, nullptr); pack<>(); packr<int, char>(1, 'c'); packv<int, double *>(1, 2, nullptr); tt<One, int>(nullptr); ptrarg<&gl>();
  outer(1); outer(2.0); retft(1);
  ret(std::vector<int>()); ret(std::make_pair(1, 2.0)); ret<ns::inner::Vec<ns::inner::Vec<int, 2>, 3>>({}); ret<void (*)(int)>(nullptr); ret<int(*)[3]>(nullptr);
  ret<const volatile int *>(nullptr);ret<int *const *>(nullptr);
  std::vector<std::string> vs; vs.push_back("x"); 
  return 0;
}
