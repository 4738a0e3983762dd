// A check for clang-tidy, in the same plugin as own_code.cpp: finds the forms of co_await
// and co_yield that g++ 12 compiles wrongly.
//
// g++ 12.2 turns them into programs that crash, or that destroy an object twice, though
// the code is correct (GCC bugs 106188, 99576, 101367; fixed in 13). clang compiles
// them correctly.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

namespace {

using namespace clang::ast_matchers;
using clang::tidy::ClangTidyCheck;

struct Form {
    const char* name;
    const char* advice;
};
const Form forms[] = {
    {"condition", "co_await or co_yield in a condition: put its value into a const local "
                  "first, and test that"},
    {"conditional", "co_await or co_yield inside ?: (put its value into a const local "
                    "first, or write an if)"},
    {"temporary", "an aggregate or a lambda that owns something is made in an expression "
                  "that waits: give it a name on a line of its own first"},
    {"braces", "co_await or co_yield in braces: put its value into a const local first"},
};

class CoroutineForms : public ClangTidyCheck {
  public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(MatchFinder* finder) override {
        const auto coroutine =
            forCallable(functionDecl(hasBody(coroutineBodyStmt())).bind("function"));
        // In the function that is checked, and not in a lambda in it.
        const auto here = forCallable(functionDecl(equalsBoundNode("function")));
        // Tested first wherever possible, because the result is remembered.
        const auto any = expr(anyOf(coawaitExpr(), coyieldExpr()));
        const auto await = expr(any, here);
        const auto waits = expr(anyOf(await, hasDescendant(await)));
        // A temporary that owns something and is made without a constructor or a
        // function, from bare braces, parentheses or a lambda: that's what is copied bit
        // by bit, and destroyed twice.
        const auto bare = cxxBindTemporaryExpr(
            has(expr(
                unless(anyOf(callExpr(), cxxConstructExpr(), coawaitExpr(), coyieldExpr(),
                             conditionalOperator(), implicitCastExpr())))),
            here);
        finder->addMatcher(
            stmt(anyOf(ifStmt(), whileStmt(), doStmt(), forStmt(), switchStmt()),
                 coroutine,
                 anyOf(ifStmt(hasCondition(waits)), whileStmt(hasCondition(waits)),
                       doStmt(hasCondition(waits)), forStmt(hasCondition(waits)),
                       switchStmt(hasCondition(waits))))
                .bind("condition"),
            this);
        finder->addMatcher(
            conditionalOperator(hasDescendant(any), coroutine, hasDescendant(await))
                .bind("conditional"),
            this);
        finder->addMatcher(exprWithCleanups(hasDescendant(any), coroutine,
                                            hasDescendant(await), hasDescendant(bare))
                               .bind("temporary"),
                           this);
        finder->addMatcher(
            initListExpr(hasDescendant(any), coroutine, hasDescendant(await))
                .bind("braces"),
            this);
    }

    void check(const MatchFinder::MatchResult& result) override {
        for (const auto& [name, advice] : forms)
            if (const auto* found = result.Nodes.getNodeAs<clang::Stmt>(name))
                diag(result.SourceManager->getExpansionLoc(found->getBeginLoc()),
                     "%0: %1")
                    << name << advice;
    }
};

class Module : public clang::tidy::ClangTidyModule {
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<CoroutineForms>("coroutine-forms");
    }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module>
    coroutine_forms_registered("coroutine-forms", "what g++ 12 compiles wrongly");

} // namespace
