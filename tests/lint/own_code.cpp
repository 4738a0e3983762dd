// A plugin for clang-tidy: lets its checks look at our code, and not at the system's
// headers.
//
// clang-tidy spends nine tenths of its time in headers of the standard library, where
// it reports nothing anyway. (clang-tidy 21 leaves them out by itself.) Before the
// checks begin, clang asks each plugin; this one removes the headers' declarations from
// what is checked. tidy.py precompiles some of those headers and none of ours, and
// these aren't even loaded. The static analyzer is not affected: it still follows calls
// wherever they lead.
#include <memory>
#include <string>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace {

class OwnCode : public clang::ASTConsumer {
    void HandleTranslationUnit(clang::ASTContext& context) override {
        const clang::SourceManager& files = context.getSourceManager();
        std::vector<clang::Decl*> own;
        for (clang::Decl* const declaration :
             context.getTranslationUnitDecl()->noload_decls())
            if (!declaration->isFromASTFile()
                && !files.isInSystemHeader(
                    files.getExpansionLoc(declaration->getLocation())))
                own.push_back(declaration);
        context.setTraversalScope(own);
    }
};

class OwnCodeAction : public clang::PluginASTAction {
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                          llvm::StringRef) override {
        return std::make_unique<OwnCode>();
    }
    bool ParseArgs(const clang::CompilerInstance&,
                   const std::vector<std::string>&) override {
        return true;
    }
    ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OwnCodeAction>
    own_code_registered("own-code", "checks look at no system header");

} // namespace
