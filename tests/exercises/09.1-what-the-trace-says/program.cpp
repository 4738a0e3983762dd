#include "questions.h"
#include "stage2_coroutines/generator.h"

#include <cstdint>
#include <stdexcept>

namespace {

enum class Scene : std::uint8_t { plain, rethrown, another, helper, caught };

template <class Return>
using Generator = stage2::Generator<int, int, Return>;

struct Story {
    Scene scene;
    int witnesses_gone = 0;
    int gone_at_handler = 0;
    int top_went_on = 0;
};

/// Lives in a frame, and notes when it is destroyed.
class Witness {
  public:
    explicit Witness(Story& story) : story_(story) {}
    ~Witness() { ++story_.witnesses_gone; }
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

  private:
    Story& story_;
};

void fail() { throw std::runtime_error("it rains"); }

Generator<int> bottom(Story& story) {
    const Witness witness(story);
    co_yield 1;
    if (story.scene == Scene::helper)
        fail();
    throw std::runtime_error("it rains");
}

Generator<int> middle(Story& story) {
    const Witness witness(story);
    if (story.scene == Scene::plain || story.scene == Scene::helper)
        co_await bottom(story); // no handler here
    try {
        co_await bottom(story);
    } catch (const std::runtime_error&) {
        story.gone_at_handler = story.witnesses_gone;
        if (story.scene == Scene::another)
            throw std::logic_error("it snows");
        if (story.scene != Scene::caught)
            throw;
    }
    co_return 1;
}

Generator<int> top(Story& story) {
    const Witness witness(story);
    const int result = co_await middle(story);
    story.top_went_on = result;
    co_return result;
}

/// Plays a scene, and returns how many coroutines the trace names, or 0 if no exception
/// came out.
int named(Story& story) {
    auto generator = top(story);
    try {
        generator.next();
        generator.next();
    } catch (const std::exception&) {
        return static_cast<int>(generator.traceback().size());
    }
    return 0;
}

int named(Scene scene) {
    Story story{.scene = scene};
    return named(story);
}

} // namespace

Answers run_program() {
    Story caught{.scene = Scene::caught};
    named(caught);
    return {.plain = named(Scene::plain),
            .rethrown = named(Scene::rethrown),
            .another = named(Scene::another),
            .helper = named(Scene::helper),
            .caught = caught.top_went_on,
            .destroyed = caught.gone_at_handler};
}
