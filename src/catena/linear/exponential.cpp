// Scaling and squaring with the diagonal Pade approximant of degree 13. Source: Higham, SIAM J. Matrix Anal. Appl. 26 (2005).
// (Eigen's own takes longer to compile than all the rest of this folder.)
#include "catena/linear/exponential.hpp"

#include <Eigen/LU>
#include <cmath>

namespace catena {

Matrix exponential(Matrix A) {
  constexpr double theta = 5.371920351148152;  // |A|_1 up to which the approximant is exact to rounding
  const double size = A.size() == 0 ? 0 : A.cwiseAbs().colwise().sum().maxCoeff();
  const int halvings = size > theta ? static_cast<int>(std::ceil(std::log2(size / theta))) : 0;
  A *= std::ldexp(1.0, -halvings);
  const Matrix one = Matrix::Identity(A.rows(), A.cols()), A2 = A * A, A4 = A2 * A2, A6 = A4 * A2;
  const Matrix odd_high = A6 + 16380 * A4 + 40840800 * A2;
  const Matrix odd_low = 33522128640 * A6 + 10559470521600 * A4 + 1187353796428800 * A2 + 32382376266240000 * one;
  const Matrix even_high = 182 * A6 + 960960 * A4 + 1323241920 * A2;
  const Matrix even_low = 670442572800 * A6 + 129060195264000 * A4 + 7771770303897600 * A2 + 64764752532480000 * one;
  const Matrix odd = A * Matrix(A6 * odd_high + odd_low), even = A6 * even_high + even_low;
  Matrix out = Eigen::PartialPivLU<Matrix>(even - odd).solve(even + odd);
  for (int k = 0; k < halvings; ++k) out = (out * out).eval();
  return out;
}

}  // namespace catena
