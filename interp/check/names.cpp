#include "interp/check/box.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip {

namespace {

using rules::Base;

std::string seat_name(std::int64_t seat, const std::vector<std::string>& seats) {
  if (seat >= 0 && seat < std::ssize(seats)) return seats[static_cast<std::size_t>(seat)];
  return fmt::format("player {}", seat + 1);
}

/// One part of a phrase, or "" where the attribute is not written: a text, a flag that is `no`.
std::string part(const rules::Rules& rules, const Box& box, const rules::Attribute& attribute, std::int64_t value,
                 const std::vector<std::string>& seats) {
  if (attribute.type.base == Base::text) return "";
  if (attribute.type.shape == rules::Shape::set) {
    std::string out;
    rules::Type element = attribute.type;
    element.shape = rules::Shape::scalar;
    for (std::int64_t v = attribute.type.low; v <= attribute.type.high; ++v)
      if (static_cast<std::uint64_t>(value) >> (v - attribute.type.low) & 1)
        out += (out.empty() ? "" : ", ") + value_text(rules, box, element, v, seats);
    return "{" + out + "}";
  }
  if (attribute.type.base == Base::flag) return value == 1 ? attribute.name : "";
  return value_text(rules, box, attribute.type, value, seats);
}

/// How many attributes a phrase needs: the last ones go without saying where they have their default and no component that
/// is like this one before has another value there.
std::size_t attributes_to_write(const rules::Rules& rules, const Box& box, std::uint32_t id) {
  const Component& component = box.components[id];
  const std::vector<rules::Attribute>& attributes = rules.component_types[component.type].attributes;
  std::size_t n = attributes.size();
  for (; n > 1; --n) {
    const rules::Attribute& last = attributes[n - 1];
    if (last.type.base == Base::text || last.type.base == Base::flag) continue;
    if (!last.start || rules[*last.start].op != rules::Op::constant || rules[*last.start].value != component.attributes[n - 1]) break;
    const bool needed = std::any_of(box.components.begin(), box.components.end(), [&](const Component& other) {
      return other.type == component.type && std::equal(other.attributes.begin(), other.attributes.begin() + static_cast<std::ptrdiff_t>(n - 1), component.attributes.begin()) &&
             other.attributes[n - 1] != component.attributes[n - 1];
    });
    if (needed) break;
  }
  return n;
}

std::string phrase_for(const rules::Rules& rules, const Box& box, std::uint32_t id, const std::vector<std::string>& seats) {
  const Component& component = box.components[id];
  const rules::ComponentType& type = rules.component_types[component.type];
  std::string inside;
  const std::size_t written = attributes_to_write(rules, box, id);
  for (std::size_t a = 0; a < type.attributes.size(); ++a) {
    if (a >= written && type.attributes[a].type.base != Base::flag) continue;
    const std::string text = part(rules, box, type.attributes[a], component.attributes[a], seats);
    if (!text.empty()) inside += (inside.empty() ? "" : " ") + text;
  }
  const std::string owner = component.owner < 0 ? "" : seat_name(component.owner, seats) + " ";
  return fmt::format("{}<{}>", owner, inside);
}

}  // namespace

std::string phrase(const rules::Rules& rules, const Box& box, std::uint32_t component) {
  return phrase_for(rules, box, component, {});
}

std::string zone_name(const rules::Rules& rules, const Box& box, std::uint32_t instance, const std::vector<std::string>& seats) {
  const ZoneInstance& at = box.zones[instance];
  const rules::Zone& zone = rules.zones[at.zone];
  if (at.index.empty()) return zone.name;
  std::string inside;
  for (std::size_t i = 0; i < at.index.size(); ++i)
    inside += (i == 0 ? "" : ", ") + value_text(rules, box, zone.index[i], at.index[i], seats);
  return fmt::format("{}[{}]", zone.name, inside);
}

std::string value_text(const rules::Rules& rules, const Box& box, const rules::Type& type, std::int64_t value,
                       const std::vector<std::string>& seats) {
  if (value == rules::kNone) return "none";
  switch (type.base) {
    case Base::unknown:
    case Base::text:
    case Base::integer: break;
    case Base::enumeration: {
      const std::vector<std::string>& names = rules.enums[type.id].values;
      if (value >= 0 && value < std::ssize(names)) return names[static_cast<std::size_t>(value)];
      break;
    }
    case Base::flag: return value != 0 ? "yes" : "no";
    case Base::seat: return seat_name(value, seats);
    case Base::side: return value == 0 ? "up" : "down";
    case Base::component:
      if (value >= 0 && value < std::ssize(box.components)) return phrase_for(rules, box, static_cast<std::uint32_t>(value), seats);
      break;
  }
  return fmt::format("{}", value);
}

}  // namespace rip
