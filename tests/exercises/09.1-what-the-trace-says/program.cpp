#include "questions.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/path.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

enum class Scene : std::uint8_t { plain, rethrown, another, helper, caught };

using small::Coroutine;

struct Story {
    Scene scene;
    small::FuturePtr weather = std::make_shared<small::Future>();
    int named = 0;
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

Coroutine<int> bottom(Story& story) {
    const Witness witness(story);
    co_await story.weather;
    if (story.scene == Scene::helper)
        fail();
    throw std::runtime_error("it rains");
}

Coroutine<int> middle(Story& story) {
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

Coroutine<int> top(Story& story) {
    const Witness witness(story);
    const int result = co_await middle(story);
    story.top_went_on = result;
    co_return result;
}

/// Notes how many coroutines the path names, a line for each, if an exception comes out.
Coroutine<bool> tell(Story& story) {
    try {
        co_await top(story);
    } catch (const std::exception&) {
        const std::string lines = small::path.text();
        story.named = static_cast<int>(std::ranges::count(lines, '\n'));
    }
    co_return true;
}

void play(Story& story) {
    auto coroutine = tell(story);
    coroutine.start();
    story.weather->set_result("rain");
}

int named(Scene scene) {
    Story story{.scene = scene};
    play(story);
    return story.named;
}

} // namespace

Answers run_program() {
    Story caught{.scene = Scene::caught};
    play(caught);
    return {.plain = named(Scene::plain),
            .rethrown = named(Scene::rethrown),
            .another = named(Scene::another),
            .helper = named(Scene::helper),
            .caught = caught.top_went_on,
            .destroyed = caught.gone_at_handler};
}
