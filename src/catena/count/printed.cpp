// Operation counts printed in the five papers, as formula sheet section 6 corrects them.
#include "catena/count/count.hpp"

namespace catena {
namespace {

using P = Polynomial;

constexpr const char* saha1 = "Saha, Table 1";
constexpr const char* saha2 = "Saha, Table 2";
constexpr const char* angeles = "Angeles, Table 7.4";
constexpr const char* kozlowski2 = "Kozłowski, Tab. 2";
constexpr const char* kozlowski3 = "Kozłowski, Tab. 3";
constexpr const char* jain = "Jain & Rodriguez";
constexpr const char* inverse_task = "inverse dynamics";
constexpr const char* forward_task = "forward dynamics";

PrintedCount row(const char* algorithm, const char* task, const char* method, const char* source, P mul, P add,
                 const char* remark = "") {
  return {algorithm, task, method, source, false, mul, add, {}, false, remark};
}
PrintedCount perpendicular(PrintedCount r) {
  r.perpendicular = true;
  return r;
}
PrintedCount at_six(PrintedCount r) {
  r.at_six_only = true;
  return r;
}
PrintedCount sum(const char* algorithm, const char* method, P flops, const char* remark = "") {
  return {algorithm, forward_task, method, kozlowski3, false, {}, {}, flops, false, remark};
}

std::vector<PrintedCount> table() {
  const auto L = [](long long slope, long long constant) { return P::linear(slope, constant); };
  return {
      row("inverse", inverse_task, "Hollerbach 1980", saha1, L(412, -277), L(320, -201)),
      row("inverse", inverse_task, "Luh, Walker & Paul 1980", saha1, L(150, -48), L(131, -48),
          "additions printed 131n + 48"),
      row("inverse", inverse_task, "Walker & Orin 1982", saha1, L(137, -22), L(101, -11)),
      row("inverse_dh", inverse_task, "Angeles, sec. 7.4", angeles, L(137, -20), L(110, -13),
          "printed 137n − 22, 110n − 14: the last projection is missing"),
      at_six(row("inverse", inverse_task, "Hollerbach & Sahar 1983", angeles, L(0, 688), L(0, 558))),
      at_six(row("inverse", inverse_task, "Kane & Levinson 1983", angeles, L(0, 646), L(0, 394))),
      row("inverse_denoc", inverse_task, "Saha (DeNOC)", saha1, L(120, -44), L(97, -55)),
      row("inverse", inverse_task, "Khalil et al. 1986", angeles, L(105, -92), L(94, -86)),
      row("inverse", inverse_task, "Angeles et al. 1989", saha1, L(105, -109), L(90, -105)),
      row("inverse", inverse_task, "Balafoutis & Patel 1991", angeles, L(93, -69), L(81, -65)),
      row("inverse", inverse_task, "Li & Sankar 1992", angeles, L(88, -69), L(76, -66)),
      row("inverse_kalman", inverse_task, "Kozłowski 1993", "Kozłowski, sec. 6", L(142, -161), L(109, -135), "n > 2"),
      perpendicular(row("inverse_kalman", inverse_task, "Kozłowski 1993", "Kozłowski, sec. 6", L(104, -117),
                        L(87, -102), "n > 2")),
      row("forward_denoc", forward_task, "Saha (DeNOC)", saha2, L(201, -335), L(193, -361),
          "elimination and solve; seems to leave φ out, which takes an inverse dynamics more"),
      row("forward_articulated", forward_task, "Featherstone 1983", saha2, L(199, -198), L(174, -173)),
      row("forward_composite", forward_task, "Walker & Orin 1982", saha2, P::sixths({1, 69, 230, -282}),
          P::sixths({1, 42, 233, -276}),
          "printed 480 additions at n = 6, the formula gives 475; seems to leave the bias forces out: Kozłowski has "
          "2882 operations for the same method"),
      sum("forward_articulated", "Featherstone 1987", L(579, -526)),
      sum("forward_newton_columns", "Walker & Orin 1", P::sixths({2, 783, 1183, -198})),
      sum("forward_newton_symmetric", "Walker & Orin 2", P::sixths({2, 399, 1567, -198})),
      sum("forward_composite", "Walker & Orin 3", P::sixths({2, 129, 2149, -678}),
          "printed n³/6; the printed values need n³/3"),
      sum("forward_conjugate_gradient", "Walker & Orin 4", P::sixths({795, 1242, -186}),
          "printed values 5967 and 21537 do not follow from it"),
      sum("forward_articulated", "Brandl, Johanni & Otter 1986", L(470, -420)),
      sum("forward_composite", "Kozłowski 1992", P::sixths({2, 123, 2047, -2370})),
      sum("forward_articulated", "Kalman filter, Kozłowski 1993", L(477, -503)),
      row("kozlowski_nu", forward_task, "normalized equations", kozlowski2, L(605, -462), L(530, -448),
          "with the subtotal 345n (printed 354n)"),
      perpendicular(row("kozlowski_nu", forward_task, "normalized equations", kozlowski2, L(406, -381), L(376, -359))),
      row("kozlowski_xi", forward_task, "unnormalized equations", kozlowski2, L(500, -319), L(426, -286)),
      perpendicular(row("kozlowski_xi", forward_task, "unnormalized equations", kozlowski2, L(314, -238), L(284, -218),
                        "with z⁺ 13n − 3 (printed 43n − 3)")),
      row("linear_1", "linearization", "Algorithm 1", jain, L(320, -159), L(303, -149)),
      row("linear_2", "linearization", "Algorithm 2", jain, P::sixths({126, 1998, -792}), P::sixths({141, 1815, -870})),
      row("linear_3", "linearization", "Algorithm 3", jain, P::sixths({1, 9, 1904, -918}),
          P::sixths({1, 6, 1805, -882})),
      row("linear_4", "linearization", "Algorithm 4", jain, P::sixths({17, 129, 1996, -792}),
          P::sixths({17, 120, 1819, -870})),
      row("linear_5", "linearization", "Algorithm 5", jain, L(259, -129), L(232, -123),
          "doubtful: it contains the sweep of Algorithm 1 yet costs less"),
      row("linear_6", "linearization", "Algorithm 6", jain, P::sixths({216, 4686, -1350}),
          P::sixths({198, 4638, -1530}), "serial chains only"),
  };
}

}  // namespace

const std::vector<PrintedCount>& printed_counts() {
  static const std::vector<PrintedCount> rows = table();
  return rows;
}

}  // namespace catena
