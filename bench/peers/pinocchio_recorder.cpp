#include <pinocchio/codegen/code-generator-base.hpp>  // before all else of Pinocchio

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <filesystem>
#include <sstream>

#include "bench/peers/pinocchio_recorder.hpp"

namespace catena::peers {
namespace {

constexpr std::size_t most_operations = 100'000;

Eigen::Index input_size(const pin::Model& model, Function function) {
  if (function == Function::mass_matrix || function == Function::mass_matrix_inverse) return model.nq;
  return model.nq + (function == Function::coriolis_matrix ? 1 : 2) * model.nv;
}

class Recorder : public pin::CodeGenBase<double> {
 public:
  Recorder(const pin::Model& model, Function function, const std::string& file)
      : CodeGenBase(model, input_size(model, function), generated_outputs(model, function), "f", file),
        function_(function),
        file_(file) {
    build_jacobian = false;
    buildMap();
  }

  std::size_t operations() const { return ad_fun.size_op(); }

  void compile() {
    CppAD::cg::ModelCSourceGen<double> source(ad_fun, function_name);
    CppAD::cg::ModelLibraryCSourceGen<double> library(source);
    CppAD::cg::DynamicModelLibraryProcessor<double> processor(library, file_);
    CppAD::cg::GccCompiler<double> compiler(CATENA_PEER_COMPILER);
    std::vector<std::string> flags;
    std::istringstream words(CATENA_PEER_FLAGS " -ffast-math -w");
    for (std::string word; words >> word;) flags.push_back(word);
    compiler.setCompileFlags(flags);
    compiler.setTemporaryFolder(file_ + ".objects");
    processor.createDynamicLibrary(compiler, false);
    std::filesystem::remove_all(file_ + ".objects");
  }

 private:
  // Where there are two conventions, the one that gives the shorter program.
  void buildMap() final {
    record(pin::Convention::LOCAL);
    if (function_ != Function::mass_matrix && function_ != Function::forward) return;
    const std::size_t local = operations();
    record(pin::Convention::WORLD);
    if (operations() > local) record(pin::Convention::LOCAL);
  }

  void record(pin::Convention convention) {
    CppAD::Independent(ad_X);
    const Eigen::Index nq = ad_model.nq, nv = ad_model.nv;
    const ADVectorXs q = ad_X.head(nq), v = ad_X.segment(nq, std::min(nv, ad_X.size() - nq)),
                     x = ad_X.tail(std::min(nv, ad_X.size()));
    written_ = 0;
    switch (function_) {
      case Function::inverse: write(pin::rnea(ad_model, ad_data, q, v, x)); break;
      case Function::mass_matrix: write_upper(pin::crba(ad_model, ad_data, q, convention)); break;
      case Function::forward: write(pin::aba(ad_model, ad_data, q, v, x, convention)); break;
      case Function::mass_matrix_inverse: write_upper(pin::computeMinverse(ad_model, ad_data, q)); break;
      case Function::linearize_inverse:
        pin::computeRNEADerivatives(ad_model, ad_data, q, v, x);
        write_upper(ad_data.M), write(ad_data.dtau_dv), write(ad_data.dtau_dq);
        break;
      case Function::linearize_forward:
        pin::computeABADerivatives(ad_model, ad_data, q, v, x);
        write(ad_data.ddq), write_upper(ad_data.Minv), write(ad_data.ddq_dv), write(ad_data.ddq_dq);
        break;
      default: write(pin::computeCoriolisMatrix(ad_model, ad_data, q, v));
    }
    ad_fun.Dependent(ad_X, ad_Y);
    ad_fun.optimize("no_compare_op");
  }
  template <class Block>
  void write(const Block& block) {
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      for (Eigen::Index i = 0; i < block.rows(); ++i) ad_Y[written_++] = block(i, j);
  }
  template <class Block>
  void write_upper(const Block& block) {
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      for (Eigen::Index i = 0; i <= j; ++i) ad_Y[written_++] = block(i, j);
  }

  Function function_;
  std::string file_;
  Eigen::Index written_ = 0;
};

}  // namespace

Eigen::Index generated_outputs(const pin::Model& model, Function function) {
  const Eigen::Index n = model.nv, triangle = n * (n + 1) / 2;
  switch (function) {
    case Function::inverse:
    case Function::forward: return n;
    case Function::mass_matrix:
    case Function::mass_matrix_inverse: return triangle;
    case Function::linearize_inverse: return triangle + 2 * n * n;
    case Function::linearize_forward: return n + triangle + 2 * n * n;
    default: return n * n;
  }
}

bool make_generated_library(const pin::Model& model, Function function, const std::string& file) {
  Recorder recorder(model, function, file);
  if (recorder.operations() > most_operations) return false;
  recorder.compile();
  return true;
}

}  // namespace catena::peers
