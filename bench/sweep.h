// Speed against the size of a game. Flow: made-up scripts -> machine, native code -> table and plots of docs/performance.md.
#pragma once

#include <string>
#include <vector>

namespace rip::bench {

struct Point {
  int cards, players, whens, bytes;
  double interpreted, compiled;  ///< playouts a second
};
struct Sweep {
  std::string name;  ///< what grows: cards, players, triggers
  std::vector<Point> points;
};

/// `time`: seconds for each point and way.
std::vector<Sweep> sweeps(double time);
std::string plot(const Sweep& sweep);                ///< SVG
std::string table(const std::vector<Sweep>& sweeps);  ///< Markdown

}  // namespace rip::bench
