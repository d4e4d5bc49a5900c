// Lists rather than a compiler: a name that is taken without being listed can still be changed with -o.
#include "catena/source/c_names.hpp"

#include <string>
#include <unordered_set>

namespace catena::compile {
namespace {

constexpr std::string_view keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t "
    "class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export extern false final float for "
    "fortran friend goto if import inline int long module mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq override private protected public register reinterpret_cast requires restrict return "
    "short signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
    "try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while "
    "xor xor_eq ";

// Functions, types and macros of the standard library of C and, as its headers bring them along, of POSIX and GNU; those
// that differ by an ending (sinf, rand_r) once.
constexpr std::string_view library =
    "BIG_ENDIAN BUFSIZ BYTE_ORDER EOF FILE FILENAME_MAX FOPEN_MAX I INFINITY LITTLE_ENDIAN L_ctermid L_cuserid "
    "L_tmpnam MAXFLOAT MB_CUR_MAX NAN NFDBITS NULL PDP_ENDIAN P_tmpdir RAND_MAX TMP_MAX a64l abort abs accept "
    "access acos acosh alarm aligned_alloc alloca arc4random asctime asin asinh asprintf assert at_quick_exit "
    "atan atan2 atanh atexit atof atoi atol bcmp bcopy be16toh be32toh be64toh bind bsearch bzero calloc "
    "canonicalize canonicalize_file_name cbrt ceil chdir clearenv clearerr clock close complex connect copysign "
    "cos cosh creat ctermid ctime cuserid daddl daylight ddivl dfmal difftime div dmull dprintf drand48 "
    "drand48_data drem dsqrtl dsubl dup dysize ecvt erand48 erf erfc errno exit exp exp10 exp2 expm1 fabs fadd "
    "fclose fcloseall fcvt fd_mask fd_set fdim fdiv fdopen feof ferror fflush ffma ffs ffsl ffsll fgetc fgetpos "
    "fgets fileno finite flockfile floor fma fmax fmaxmag fmemopen fmin fminmag fmod fmul fopen fopencookie "
    "fork fpclassify fprintf fputc fputs fread free freopen frexp fromfp fromfpx fscanf fseek fseeko fsetpos "
    "fsqrt fsub ftell ftello ftrylockfile funlockfile fwrite gamma gcvt getc getchar getcwd getdelim getenv "
    "getline getloadavg getpayload getpt getsubopt getw gmtime grantpt htobe16 htobe32 htobe64 htole16 htole32 "
    "htole64 hypot i386 ilogb imaginary imaxabs imaxdiv index initstate isalnum isalpha isascii isblank "
    "iscanonical iscntrl isdigit iseqsig isfinite isgraph isgreater isgreaterequal isinf isless islessequal "
    "islessgreater islower isnan isnormal isprint ispunct issignaling isspace issubnormal isunordered isupper "
    "isxdigit iszero j0 j1 jmp_buf jn jrand48 kill l64a labs lcong48 lconv ldexp ldiv le16toh le32toh le64toh "
    "lgamma link linux listen llabs lldiv llogb llrint llround localeconv localtime log log10 log1p log2 logb "
    "longjmp lrand48 lrint lround main malloc math_errhandling mblen mbstowcs mbtowc memccpy memchr memcmp "
    "memcpy memmem memmove mempcpy memrchr memset mkdtemp mkostemp mkostemps mkstemp mkstemps mktemp mktime "
    "modf mrand48 nan nanosleep nearbyint nextafter nextdown nexttoward nextup nrand48 obstack obstack_printf "
    "obstack_vprintf offsetof on_exit open open_memstream pause pclose perror pipe poll popen posix_memalign "
    "posix_openpt pow printf pselect ptsname putc putchar putenv puts putw qecvt qfcvt qgcvt qsort quick_exit "
    "raise rand random random_data read realloc reallocarray realpath recv remainder remove remquo rename "
    "renameat renameat2 rewind rindex rint round roundeven rpmatch scalb scalbln scalbn scanf secure_getenv "
    "seed48 select send setbuf setbuffer setenv setjmp setlinebuf setlocale setpayload setpayloadsig setstate "
    "setvbuf shutdown sigaction signal signbit signgam significand sin sincos sinh sleep snprintf socket "
    "sprintf sqrt srand srand48 srandom sscanf stat std stderr stdin stdout stime stpcpy stpncpy strcasecmp "
    "strcat strchr strcmp strcoll strcpy strcspn strdup strerror strfromd strfromf strfromf128 strfromf32 "
    "strfromf32x strfromf64x strfroml strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen "
    "strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtod_l strtof strtof128 strtof128_l "
    "strtof32 strtof32_l strtof32x strtof32x_l strtof64_l strtof64x strtof64x_l strtof_l strtok strtol strtol_l "
    "strtold strtold_l strtoll_l strtoq strtoul strtoul_l strtoull_l strtouq strxfrm sync system tan tanh "
    "tempnam tgamma time timegm timelocal timespec timeval timezone tm tmpfile tmpnam toascii tolower "
    "totalorder totalordermag toupper trunc tzname tzset u_char u_int u_long u_short ufromfp ufromfpx uint "
    "ulong ungetc unix unlink unlockpt unsetenv ushort va_list valloc vasprintf vdprintf vfprintf vfscanf "
    "vprintf vscanf vsnprintf vsprintf vsscanf wait wcstombs wctomb write y0 y1 yn ";

// A file of such a name would stand in for the header.
constexpr std::string_view headers =
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg "
    "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd "
    "wchar wctype ";

using Words = std::unordered_set<std::string_view>;

Words split(std::string_view text) {
  Words out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find(' ', begin);
    out.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// With its ending taken off, or two: lgammaf_r.
bool listed(std::string_view name, int endings) {
  static const Words words = split(library);
  if (words.count(name) > 0) return true;
  if (endings == 0) return false;
  for (const std::string_view ending :
       {"f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "_r", "_unlocked", "64", "_l"}) {
    if (name.ends_with(ending) && listed(name.substr(0, name.size() - ending.size()), endings - 1)) return true;
  }
  return false;
}

bool of_library(std::string_view name) {
  if (listed(name, 2) || name.ends_with("_t")) return true;
  for (const std::string_view start : {"M_", "FP_", "HUGE_", "SEEK_", "RENAME_", "FD_", "MATH_", "EXIT_", "SIG", "SNAN",
                                       "pthread_", "fmaximum", "fminimum", "arc4random", "f32", "f64", "cookie_"}) {
    if (name.starts_with(start)) return true;
  }
  // Macros such as ENOENT and WNOHANG.
  const bool capitals = name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
  return capitals && name.size() > 3 && (name[0] == 'E' || name[0] == 'W');
}

}  // namespace

bool is_c_name(std::string_view name) {
  static const Words taken = split(keywords), files = split(headers);
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return taken.count(name) > 0 || files.count(lower) > 0 || of_library(name);
}

}  // namespace catena::compile
