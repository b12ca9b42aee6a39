// The game of three comrades, as game.py has it.
#include "comrade_bindings.hpp"

#include <cstdlib>
#include <fstream>

using namespace comrade;

std::vector<std::string> lines;

void say(const std::string& what, const StepPtr& step) {
  lines.push_back(what + " " + std::to_string(step->number) + " " + step->agent + " " + step->task);
}

struct Friend : Comrade {
  void on_run_to(const StepPtr& step, const std::string& whom) override {
    say("start", step);
    lines.back() += " " + whom;
  }
  void on_help_up(const StepPtr& step) override { say("start", step); }
  void on_strike(const StepPtr& step) override { say("start", step); }
  void on_idle(const StepPtr& step) override { say("start", step); }
  void on_abort(const StepPtr& step) override { say("abort", step); }
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

int main() {
  {
    Client client = Client::start({std::getenv("BTHTN"), "serve", std::getenv("TREE")});
    client.warn = [](const std::string& text) { lines.push_back(text); };
    client.hello();
    std::map<std::string, Friend> friends;
    for (const std::string name : {"Al", "Bo", "Cy"}) client.spawn(name, {&friends[name]}, 7);
    for (int tick = 0; tick < std::atoi(std::getenv("TICKS")); ++tick) {
      if (tick % 25 == 0) client.ask(tick % 50 == 0 ? "pause" : "resume", Json::Array{"Al"});
      for (const auto& [name, character] : client.characters) {
        Friend& comrade = friends[name];
        if (draw(12) == 0) comrade.friend_is_down = draw(2) == 0;
        if (draw(12) == 0) comrade.danger = draw(4) * 30;
        if (draw(6) == 0) comrade.blows = draw(4);
        if (name != "Al" || tick % 50 >= 25) end_steps(*character);
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
    }
  }
  std::ofstream log(std::getenv("LOG"));
  for (const std::string& line : lines) log << line << "\n";
}
