// SPDX-License-Identifier: Apache-2.0
#include "reports/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reports/escape.h"
#include "reports/svg.h"

namespace plumb::reports {
namespace {

// Marks beyond this many are thinned; the largest ratios, failures among them, stay.
constexpr std::size_t kMostMarks = 200;

const char* mark_class(const Point& point) {
  if (point.finding->failed > 0 || point.finding->outcome == Outcome::kFail) return "bad";
  if (is_failure(point.finding->outcome)) return "odd";
  return point.finding->loose > 0 ? "loose" : "good";
}

std::string title_of(const Point& point) {
  const TensorFinding& f = *point.finding;
  return html(fmt::format("{} {} {}: error {} of budget {} ({})", point.verdict->kernel,
                          point.verdict->case_name, element(f.tensor, f.worst_index),
                          short_number(f.worst_error), short_number(f.worst_budget),
                          short_number(f.worst_error_over_budget)));
}

std::string dot(double x, double y, double radius, const Point& point) {
  return fmt::format("<circle class='{}' cx='{:.1f}' cy='{:.1f}' r='{}'><title>{}</title></circle>",
                     mark_class(point), x, y, radius, title_of(point));
}

// A file may hold a NaN, which has no place in an order.
double finite_or_most(const Point& point) {
  const double ratio = point.finding->worst_error_over_budget;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

// Largest ratio last, so that it is drawn on top; the others thinned evenly.
std::vector<Point> to_draw(std::vector<Point> points) {
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return finite_or_most(a) < finite_or_most(b);
  });
  if (points.size() <= kMostMarks) return points;
  std::vector<Point> kept;
  const std::size_t top = kMostMarks / 2;
  const std::size_t rest = points.size() - top;
  for (std::size_t i = 0; i < top; ++i) kept.push_back(points[i * rest / top]);
  kept.insert(kept.end(), points.end() - static_cast<std::ptrdiff_t>(top), points.end());
  return kept;
}

// Relative to the tensor's size, so that tensors share an axis.
double relative(double v, const TensorFinding& f) {
  return f.largest_want > 0 ? v / f.largest_want : v;
}

bool has_ratio(const Point& p) { return p.finding->judged > 0 && !p.finding->selection; }

constexpr Octaves kRatios{-12, 4};
constexpr Frame kStrip{2, 2, 316, 16};

}  // namespace

std::vector<Point> points_of(const Cell& cell) {
  std::vector<Point> points;
  for (const Verdict* verdict : cell.verdicts) {
    for (const TensorFinding& finding : verdict->tensors) points.push_back({verdict, &finding});
  }
  return points;
}

std::string ratio_strip(const std::vector<Point>& points) {
  const double one = kStrip.left + kStrip.width * kRatios.place(1);
  const double middle = kStrip.top + kStrip.height / 2;
  std::string body =
      fmt::format("<rect class='outside' x='{:.1f}' y='{}' width='{:.1f}' height='{}'/>", one,
                  kStrip.top, kStrip.right() - one, kStrip.height);
  body += line("axis", kStrip.left, middle, kStrip.right(), middle);
  body += line("limit", one, kStrip.top, one, kStrip.bottom());
  for (const Point& point : to_draw(points)) {
    if (!has_ratio(point)) continue;
    const double x =
        kStrip.left + kStrip.width * kRatios.place(point.finding->worst_error_over_budget);
    body += fmt::format(
        "<line class='tick {}' x1='{:.1f}' y1='4' x2='{:.1f}' y2='16'><title>{}</title></line>",
        mark_class(point), x, x, title_of(point));
  }
  return svg(320, 20, "worst error over budget of each tensor", body);
}

std::string ratio_strip_scale() {
  std::string body;
  for (double e : {-12.0, -8.0, -4.0}) {
    body += power(e, kStrip.left + kStrip.width * kRatios.place(std::exp2(e)) + (e == -12 ? 12 : 0),
                  13, "middle");
  }
  body += fmt::format("<text x='{:.1f}' y='13' text-anchor='middle'>1</text>",
                      kStrip.left + kStrip.width * kRatios.place(1));
  return svg(320, 18, "scale of worst error over budget", body);
}

std::string error_against_budget(const std::vector<Point>& points) {
  std::vector<Point> drawn;
  std::vector<double> values;
  std::size_t exact = 0;
  for (const Point& point : points) {
    if (!has_ratio(point)) continue;
    const TensorFinding& f = *point.finding;
    if (f.worst_budget == 0 && f.worst_error == 0) {
      ++exact;
      continue;
    }
    drawn.push_back(point);
    values.push_back(relative(f.worst_budget, f));
    values.push_back(relative(f.worst_error, f));
  }
  const Frame frame{46, 10, 264, 190};
  const Octaves axis = octaves_around(values, -24, -8);
  std::string body = fmt::format("<path class='outside' d='M{0} {1}L{2} {3}H{0}Z'/>", frame.left,
                                 frame.bottom(), frame.right(), frame.top);
  for (double e = axis.low; e <= axis.high; e += tick_step(axis)) {
    const double x = frame.left + frame.width * axis.place(std::exp2(e));
    const double y = frame.bottom() - frame.height * axis.place(std::exp2(e));
    body += line("grid", x, frame.top, x, frame.bottom()) +
            line("grid", frame.left, y, frame.right(), y);
    body += power(e, x, frame.bottom() + 15, "middle") + power(e, frame.left - 8, y + 4, "end");
  }
  body += line("limit", frame.left, frame.bottom(), frame.right(), frame.top);
  for (const Point& point : to_draw(drawn)) {
    const TensorFinding& f = *point.finding;
    body += dot(frame.left + frame.width * axis.place(relative(f.worst_budget, f)),
                frame.bottom() - frame.height * axis.place(relative(f.worst_error, f)), 3, point);
  }
  std::string below = "budget of the worst element / largest value";
  if (exact > 0) below += fmt::format("; {} exact not drawn", exact);
  body += caption(frame.left + frame.width / 2, frame.bottom() + 32, "middle", below);
  body += caption(frame.left + 6, frame.top + 13, "start", "error / largest value");
  return svg(330, 238, "error against budget", body);
}

std::string ratio_histogram(const std::vector<Point>& points) {
  // Bins: 0; an octave each from 2^-12; 1 and above. Good and bad apart.
  constexpr int kLow = -12, kBins = 14;
  std::map<std::pair<int, bool>, int> bars;
  int most = 1;
  for (const Point& point : points) {
    if (!has_ratio(point)) continue;
    const double ratio = point.finding->worst_error_over_budget;
    const bool bad = point.finding->failed > 0;
    int bin = 0;
    if (ratio > 0)
      bin = std::clamp(static_cast<int>(std::floor(std::min(std::log2(ratio), 100.0))) - kLow, 0,
                       12) +
            1;
    if (!bad) bin = std::min(bin, kBins - 2);
    most = std::max(most, ++bars[{bin, bad}]);
  }
  const Frame frame{46, 10, 264, 190};
  const double step = frame.width / kBins;
  std::string body =
      fmt::format("<rect class='outside' x='{:.1f}' y='{}' width='{:.1f}' height='{}'/>",
                  frame.right() - step, frame.top, step, frame.height);
  body += line("axis", frame.left, frame.bottom(), frame.right(), frame.bottom());
  for (const auto& [bin, n] : bars) {
    const double height = (frame.height - 18) * n / most;
    const double x = frame.left + step * bin.first + 1;
    body +=
        fmt::format("<rect class='bar {}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'/>",
                    bin.second ? "bad" : "good", x, frame.bottom() - height, step - 2, height);
    body += caption(x + step / 2 - 1, frame.bottom() - height - 4, "middle", std::to_string(n));
  }
  body += line("limit", frame.right() - step, frame.top, frame.right() - step, frame.bottom());
  body += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>0</text>",
                      frame.left + step / 2, frame.bottom() + 15);
  for (int e = kLow + 4; e < 0; e += 4) {
    body += power(e, frame.left + step * (e - kLow + 1), frame.bottom() + 15, "middle");
  }
  body += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>1</text>",
                      frame.right() - step, frame.bottom() + 15);
  body += caption(frame.left + frame.width / 2, frame.bottom() + 32, "middle",
                  "worst error / budget, tensors an octave");
  return svg(330, 238, "distribution of worst error over budget", body);
}

std::string selection_margins(const std::vector<Point>& points) {
  std::vector<Point> drawn;
  std::vector<double> margins;
  conformance::SelectionFinding sum;
  for (const Point& point : points) {
    if (!point.finding->selection) continue;
    const auto& selection = *point.finding->selection;
    drawn.push_back(point);
    margins.push_back(selection.smallest_margin);
    sum.ties = saturated_sum(sum.ties, selection.ties);
    sum.open = saturated_sum(sum.open, selection.open);
    sum.flips = saturated_sum(sum.flips, selection.flips);
  }
  if (drawn.empty()) return "";
  const Frame frame{20, 40, 290, 60};
  const Octaves axis = octaves_around(margins, -16, 0);
  const double inner = 44;  // room for ties at the left edge
  std::string body = line("axis", frame.left, frame.bottom(), frame.right(), frame.bottom());
  body += line("limit", frame.left + 10, frame.top, frame.left + 10, frame.bottom());
  body += caption(frame.left + 10, frame.bottom() + 15, "middle", "tie");
  const auto place = [&](double v) {
    return v > 0 ? frame.left + inner + (frame.width - inner) * axis.place(v) : frame.left + 10;
  };
  for (double e = axis.low; e <= axis.high; e += tick_step(axis)) {
    body += line("grid", place(std::exp2(e)), frame.top, place(std::exp2(e)), frame.bottom());
    body += power(e, place(std::exp2(e)), frame.bottom() + 15, "middle");
  }
  for (std::size_t i = 0; i < drawn.size() && i < kMostMarks; ++i) {
    // Spread over the height in a fixed pattern, so that equal margins do not hide one another.
    const double y = frame.bottom() - 6 -
                     (frame.height - 12) * std::fmod(0.618034 * static_cast<double>(i), 1.0);
    body += dot(place(drawn[i].finding->selection->smallest_margin), y, 3, drawn[i]);
  }
  body += caption(
      frame.left, 16, "start",
      fmt::format("{} ties at the cut, {} open, {} legal flips", sum.ties, sum.open, sum.flips));
  body += caption(frame.left + frame.width / 2, frame.bottom() + 32, "middle",
                  "smallest margin of a case");
  return svg(330, 140, "selections", body);
}

}  // namespace plumb::reports
