// A check for clang-tidy, in the same plugin as own_code.cpp: finds a coroutine that is
// made a task while it refers to a temporary of the call. The temporary dies at the
// semicolon, before the task has taken its first step. Page 20 of the book explains it.
//
//     create_task(greet("you"))   if greet takes a const std::string& or a
//     std::string_view
//
// Awaiting the task in the same expression is fine: the temporary waits, too.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

namespace {

using namespace clang::ast_matchers;
using clang::tidy::ClangTidyCheck;

/// It's inside what is awaited, in the same function. A lambda counts as another
/// function.
AST_MATCHER(clang::CallExpr, isPartOfAnAwait) {
    clang::DynTypedNode node = clang::DynTypedNode::create(Node);
    for (;;) {
        const auto parents = Finder->getASTContext().getParents(node);
        if (parents.empty())
            return false;
        node = parents[0];
        if (node.get<clang::CoawaitExpr>() != nullptr)
            return true;
        if (node.get<clang::LambdaExpr>() != nullptr
            || node.get<clang::Decl>() != nullptr)
            return false;
    }
}

class LentTemporaries : public ClangTidyCheck {
  public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(MatchFinder* finder) override {
        // Another check reports lambdas with captures:
        // cppcoreguidelines-avoid-capturing-lambda-coroutines.
        const auto temporary =
            materializeTemporaryExpr(unless(hasType(cxxRecordDecl(isLambda()))))
                .bind("temporary");
        const auto it = expr(anyOf(temporary, implicitCastExpr(has(temporary))));
        // A string that turns itself into a view.
        const auto view =
            cxxMemberCallExpr(callee(cxxConversionDecl()), callee(memberExpr(has(it))));
        const auto lent = expr(anyOf(it, view, implicitCastExpr(has(view))));
        const auto coroutine =
            callExpr(hasType(cxxRecordDecl(hasName("Coroutine"))), hasAnyArgument(lent));
        finder->addMatcher(
            callExpr(
                callee(functionDecl(hasAnyName("create_task", "ensure_future", "start"))),
                hasAnyArgument(ignoringImplicit(coroutine)), unless(isPartOfAnAwait())),
            this);
    }

    void check(const MatchFinder::MatchResult& result) override {
        const auto* found = result.Nodes.getNodeAs<clang::Expr>("temporary");
        diag(result.SourceManager->getExpansionLoc(found->getBeginLoc()),
             "the coroutine refers to this temporary, and the task begins when it is "
             "gone: take the parameter by value");
    }
};

class LentTemporariesModule : public clang::tidy::ClangTidyModule {
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<LentTemporaries>("lent-temporaries");
    }
};

const clang::tidy::ClangTidyModuleRegistry::Add<LentTemporariesModule>
    lent_temporaries_registered("lent-temporaries", "what a task refers to and is gone");

} // namespace
