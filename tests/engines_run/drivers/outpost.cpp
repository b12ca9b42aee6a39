// The game of two outposts, as game.py has it.
#include "outpost_bindings.hpp"

#include <cstdlib>
#include <deque>
#include <fstream>

using namespace outpost;

std::vector<std::string> lines;

void say(const StepPtr& step, const std::vector<std::string>& args = {}) {
  std::string line = "start " + std::to_string(step->number) + " " + step->agent + " " + step->task;
  for (const std::string& arg : args) line += " " + arg;
  lines.push_back(line);
}

void say_abort(const StepPtr& step) {
  lines.push_back("abort " + std::to_string(step->number) + " " + step->agent + " " + step->task);
}

struct Guard : Ann {
  using Ann::Ann;

  void on_walk(const StepPtr& step, const std::tuple<std::int64_t, std::int64_t>& to, double pace) override {
    say(step, {std::to_string(std::get<0>(to)), std::to_string(std::get<1>(to)), std::to_string(int(pace * 100))});
  }
  void on_shoot(const StepPtr& step, Sector at, Stance how) override {
    say(step, {to_json(at).text(), to_json(how).text()});
  }
  void on_call(const StepPtr& step, const std::string& whom, const std::optional<Sector>& about) override {
    say(step, {whom, about ? to_json(*about).text() : "none"});
  }
  void on_reload(const StepPtr& step) override { say(step); }
  void on_look(const StepPtr& step) override { say(step); }
  void on_abort(const StepPtr& step) override { say_abort(step); }
};

struct Flyer : Drone {
  void on_fly(const StepPtr& step) override { say(step); }
  void on_charge(const StepPtr& step) override { say(step); }
  void on_abort(const StepPtr& step) override { say_abort(step); }
};

/// The agents of a character.
struct Post {
  Guard ann, bob{"Bob"};
  Flyer drone;
};

int draw(int below) {
  static int last = 1;
  last = (last * 75 + 74) % 65537;
  return last % below;
}

void end_steps(Character& character) {
  const auto open = character.open;
  for (const auto& [number, step] : open) {
    switch (draw(6)) {
      case 0: step->progress(0.5); break;
      case 1: step->progress("so, so"); break;
      case 2: case 3: step->succeed(); break;
      case 4: step->fail("no \"luck\" ✓"); break;
    }
  }
}

void play(Guard& guard) {
  const std::optional<Sector> enemies[] = {std::nullopt, Sector::North, Sector::East, Sector::SouthEast};
  if (draw(6) == 0) guard.alarm = draw(2) == 0;
  if (draw(6) == 0) guard.enemy = enemies[draw(4)];
  if (draw(6) == 0) guard.watching = Sector(draw(3));
  if (draw(3) == 0) guard.distance = draw(20) / 2.0;
  if (draw(8) == 0) guard.rounds = draw(3);
  if (draw(20) == 0) guard.rounds.forget();
  if (draw(8) == 0) guard.stance = Stance(draw(2));
  if (draw(8) == 0) guard.post = {draw(3), 1};
  if (draw(8) == 0) guard.trust["Zoë, 2nd"] = draw(10) / 10.0;
  if (draw(8) == 0) guard.seen[{"B", Sector::East}] = draw(2) == 0;
}

int main() {
  {
    Client client = Client::start({std::getenv("BTHTN"), "serve", std::getenv("TREE")}, {"walk"});
    client.warn = [](const std::string& text) { lines.push_back(text); };
    client.hello();
    std::deque<Post> posts;
    std::map<std::string, Post*> living;
    const auto settle = [&](const std::string& name) {
      Post& post = posts.emplace_back();
      living[name] = &post;
      client.spawn(name, {&post.ann, &post.bob, &post.drone}, 7);
    };
    settle("post 1");
    settle("post 2");
    for (int tick = 0; tick < std::atoi(std::getenv("TICKS")); ++tick) {
      for (const auto& [name, character] : client.characters) {
        Post& post = *living[name];
        play(post.ann);
        play(post.bob);
        if (draw(6) == 0) post.drone.charge = draw(5) / 4.0;
        if (draw(6) == 0) post.drone.alarm = draw(2) == 0;
        end_steps(*character);
      }
      if (tick % 3 == 2) {
        client.frame(0.25);
      } else {
        client.tick_all(0.25);
      }
      for (const auto& [name, one] : client.characters) {
        const std::string due = one->due ? std::to_string(int(*one->due * 1000 + 0.5)) : "never";
        lines.push_back(std::to_string(tick) + " " + name + " " + std::to_string(one->tick) + " " + one->status +
                        (one->finished ? " True " : " False ") + due);
      }
      if (tick % 100 == 99) {
        client.dismiss(client.characters["post 2"]);
        settle("post 2");
      }
    }
  }
  std::ofstream log(std::getenv("LOG"));
  for (const std::string& line : lines) log << line << "\n";
}
