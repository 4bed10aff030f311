// The grammar as PEGTL rules over tokens; white space and comments stand between tokens. `node<K, R>` records a node of
// kind K over what R read; `q<R...>` is a sequence that forgets what it recorded when it fails. Included by one .cpp only.
#pragma once

#include "grammar/node.h"

#include <deque>
#include <string>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze_traits.hpp>

namespace rip::grammar {

namespace pegtl = tao::pegtl;

/// Where reading stands: the nodes so far, and the furthest place where a token was missing, for the error message.
struct Reading {
  std::deque<Node> arena;
  std::vector<Node*> nodes;
  const char* begin = nullptr;
  const char* last_end = nullptr;  ///< end of the last token, without the blanks behind it
  const char* furthest = nullptr;
  const char* furthest_last_end = nullptr;
  std::vector<const char*> expected;
  int quiet = 0;
  int depth = 0;
  int run = 0;            ///< operators in a row around this place
  int in_phrase_set = 0;
  struct Error {
    const char* at;
    const char* last_end;
    bool inside;  ///< of a construct that has begun; else nothing that could begin stands here
    std::vector<const char*> expected;
  };
  std::vector<Error> errors;
};

/// Thrown when expressions or blocks nest deeper than kMaxDepth, or more than kMaxRun operators follow each other.
struct TooDeep {
  const char* at;
  int most;
  const char* of;
};
inline constexpr int kMaxDepth = 200;
inline constexpr int kMaxRun = 500;

namespace r {

using pegtl::apply_mode;
using pegtl::rewind_mode;
using pegtl::type_list;

struct comment : pegtl::if_must<pegtl::one<'#'>, pegtl::until<pegtl::at<pegtl::sor<pegtl::one<'\n'>, pegtl::eof>>>> {};
struct blank : pegtl::star<pegtl::sor<pegtl::one<' ', '\t', '\r', '\n'>, comment>> {};

#define RIP_MATCH_HEAD                                                                                                   \
  template <apply_mode A, rewind_mode M, template <typename...> class Action, template <typename...> class Control, \
            typename In>                                                                                               \
  [[nodiscard]] static bool match(In& in, Reading& st)

/// One token and the blanks behind it; remembers what was missing furthest on.
template <class Self, class R>
struct token {
  using rule_t = token;
  using subs_t = type_list<R, blank>;
  RIP_MATCH_HEAD {
    const char* at = in.current();
    if (Control<R>::template match<A, rewind_mode::required, Action, Control>(in, st)) {
      st.last_end = in.current();
      (void)Control<blank>::template match<A, rewind_mode::dontcare, Action, Control>(in, st);
      return true;
    }
    if (st.quiet == 0) {
      if (st.furthest == nullptr || at > st.furthest) {
        st.furthest = at;
        st.furthest_last_end = st.last_end;
        st.expected.clear();
      }
      if (at == st.furthest) st.expected.push_back(Self::text);
    }
    return false;
  }
};

/// A sequence that forgets the nodes of a failed attempt.
template <class... Rs>
struct q {
  using rule_t = q;
  using subs_t = type_list<Rs...>;
  RIP_MATCH_HEAD {
    auto mark = in.template mark<rewind_mode::required>();
    const std::size_t nodes = st.nodes.size();
    const char* last_end = st.last_end;
    if ((Control<Rs>::template match<A, rewind_mode::active, Action, Control>(in, st) && ...)) return mark(true);
    st.nodes.resize(nodes);
    st.last_end = last_end;
    return false;
  }
};

template <Kind K, class... Rs>
struct node {
  using rule_t = node;
  using subs_t = type_list<Rs...>;
  RIP_MATCH_HEAD {
    auto mark = in.template mark<rewind_mode::required>();
    const char* begin = in.current();
    const std::size_t nodes = st.nodes.size();
    const char* last_end = st.last_end;
    if (!(Control<Rs>::template match<A, rewind_mode::active, Action, Control>(in, st) && ...)) {
      st.nodes.resize(nodes);
      st.last_end = last_end;
      return false;
    }
    Node& made = st.arena.emplace_back();
    made.kind = K;
    made.begin = static_cast<std::uint32_t>(begin - st.begin);
    made.end = static_cast<std::uint32_t>(std::max(begin, st.last_end) - st.begin);
    made.text = std::string_view(begin, made.end - made.begin);
    made.kids.assign(st.nodes.begin() + static_cast<std::ptrdiff_t>(nodes), st.nodes.end());
    st.nodes.resize(nodes);
    st.nodes.push_back(&made);
    return mark(true);
  }
};

/// Looks ahead without recording nodes or expectations.
template <class... Rs>
struct peek {
  using rule_t = peek;
  using subs_t = type_list<Rs...>;
  RIP_MATCH_HEAD {
    auto mark = in.template mark<rewind_mode::required>();
    const std::size_t nodes = st.nodes.size();
    const char* last_end = st.last_end;
    ++st.quiet;
    const bool fits = (Control<Rs>::template match<A, rewind_mode::active, Action, Control>(in, st) && ...);
    --st.quiet;
    st.nodes.resize(nodes);
    st.last_end = last_end;
    (void)mark(false);
    return fits;
  }
};
template <class... Rs>
struct peek_not {
  using rule_t = peek_not;
  using subs_t = type_list<Rs...>;
  RIP_MATCH_HEAD { return !peek<Rs...>::template match<A, M, Action, Control>(in, st); }
};

/// Counts nesting, so that a million parentheses are an error and no crash.
template <class R>
struct nested {
  using rule_t = nested;
  using subs_t = type_list<R>;
  RIP_MATCH_HEAD {
    if (st.depth >= kMaxDepth) throw TooDeep{in.current(), kMaxDepth, "levels"};
    ++st.depth;
    const bool fits = Control<R>::template match<A, M, Action, Control>(in, st);
    --st.depth;
    return fits;
  }
};

/// R again and again. `1 + 1 + ...` and `- - ...` make trees as deep as they are long, so their length has a bound too.
template <class R>
struct run {
  using rule_t = run;
  using subs_t = type_list<R>;
  RIP_MATCH_HEAD {
    const int before = st.run;
    while (Control<R>::template match<A, rewind_mode::required, Action, Control>(in, st)) {
      if (++st.run > kMaxRun) throw TooDeep{in.current(), kMaxRun, "operators in a row"};
    }
    st.run = before;
    return true;
  }
};

// ---- tokens ----

#define RIP_WORD(id, spelling, word_class)                               \
  struct id : token<id, TAO_PEGTL_KEYWORD(spelling)> {                   \
    static constexpr const char* text = "`" spelling "`";                \
  };
#include "grammar/keywords.def"
#undef RIP_WORD

#define RIP_MARK(id, spelling)                                                \
  struct id : token<id, TAO_PEGTL_STRING(spelling)> {                         \
    static constexpr const char* text = "`" spelling "`";                     \
  };
RIP_MARK(lbrace, "{")
RIP_MARK(rbrace, "}")
RIP_MARK(lparen, "(")
RIP_MARK(rparen, ")")
RIP_MARK(rbracket, "]")
RIP_MARK(comma, ",")
RIP_MARK(colon, ":")
RIP_MARK(question, "?")
RIP_MARK(dots, "..")
RIP_MARK(less, "<")
RIP_MARK(greater, ">")
RIP_MARK(minus, "-")
RIP_MARK(equal2, "==")
#undef RIP_MARK
struct assign : token<assign, pegtl::seq<pegtl::one<'='>, pegtl::not_at<pegtl::one<'='>>>> {
  static constexpr const char* text = "`=`";
};
struct dot : token<dot, pegtl::seq<pegtl::one<'.'>, pegtl::not_at<pegtl::one<'.'>>>> {
  static constexpr const char* text = "`.`";
};

struct reserved
    : pegtl::sor<
#define RIP_WORD(id, spelling, word_class) RIP_WORD_##word_class(spelling)
#define RIP_WORD_reserved(spelling) TAO_PEGTL_KEYWORD(spelling),
#define RIP_WORD_context(spelling)
#include "grammar/keywords.def"
#undef RIP_WORD
#undef RIP_WORD_reserved
#undef RIP_WORD_context
          pegtl::failure> {
};
struct not_a_move
    : pegtl::sor<TAO_PEGTL_KEYWORD("if"), TAO_PEGTL_KEYWORD("for"), TAO_PEGTL_KEYWORD("repeat"), TAO_PEGTL_KEYWORD("turns"),
                 TAO_PEGTL_KEYWORD("match"), TAO_PEGTL_KEYWORD("choose"), TAO_PEGTL_KEYWORD("together"), TAO_PEGTL_KEYWORD("phase"),
                 TAO_PEGTL_KEYWORD("when"), TAO_PEGTL_KEYWORD("where"), TAO_PEGTL_KEYWORD("else"), TAO_PEGTL_KEYWORD("secretly"),
                 TAO_PEGTL_KEYWORD("otherwise"), TAO_PEGTL_KEYWORD("end")> {};
struct small_word
    : pegtl::seq<pegtl::sor<pegtl::lower, pegtl::one<'_'>>, pegtl::star<pegtl::sor<pegtl::lower, pegtl::digit, pegtl::one<'_'>>>,
                 pegtl::not_at<pegtl::identifier_other>> {};
struct big_word : pegtl::seq<pegtl::upper, pegtl::star<pegtl::identifier_other>> {};
struct digits : pegtl::seq<pegtl::plus<pegtl::digit>, pegtl::not_at<pegtl::identifier_first>> {};
struct quoted : pegtl::seq<pegtl::one<'"'>, pegtl::star<pegtl::not_one<'"', '\n'>>, pegtl::one<'"'>> {};
struct tag_id : pegtl::seq<pegtl::plus<pegtl::upper>, pegtl::one<'-'>, pegtl::plus<pegtl::digit>, pegtl::opt<pegtl::lower>,
                           pegtl::not_at<pegtl::identifier_other>> {};
struct blanks : pegtl::star<pegtl::one<' ', '\t'>> {};
struct tag_text : pegtl::seq<pegtl::one<'['>, blanks, tag_id, blanks,
                             pegtl::star<pegtl::seq<pegtl::one<','>, pegtl::star<pegtl::one<' ', '\t', '\r', '\n'>>, tag_id, blanks>>,
                             pegtl::one<']'>> {};

#define RIP_LEAF(id, kind_, description, ...)                    \
  struct id##_token : token<id##_token, __VA_ARGS__> {           \
    static constexpr const char* text = description;             \
  };                                                             \
  struct id : node<Kind::kind_, id##_token> {};
RIP_LEAF(name, name, "a name", pegtl::seq<pegtl::not_at<reserved>, small_word>)
RIP_LEAF(move_name, name, "the name of a move", pegtl::seq<pegtl::not_at<not_a_move>, small_word>)
RIP_LEAF(any_small, name, "a name", small_word)
RIP_LEAF(type_name, type_name, "a name with a capital letter", big_word)
RIP_LEAF(integer, integer, "a number", digits)
RIP_LEAF(string, string, "a text in quotes", quoted)
RIP_LEAF(tags, tags, "a margin note", tag_text)
#undef RIP_LEAF
struct lbracket : token<lbracket, pegtl::seq<pegtl::not_at<tag_text>, pegtl::one<'['>>> {
  static constexpr const char* text = "`[`";
};

template <class... Rs>
struct flag : node<Kind::flag, Rs...> {};
template <class... Rs>
struct maybe : pegtl::opt<q<Rs...>> {};
template <class... Rs>
struct many : pegtl::star<q<Rs...>> {};
struct margin : pegtl::star<tags> {};
template <class R>
struct listed : q<R, many<comma, R>> {};

// ---- expressions ----

struct expr;
struct clause;
struct post;
struct args : node<Kind::args, listed<expr>> {};

template <class... Rs>
struct op : node<Kind::op, Rs...> {};
#define RIP_OP(id, description, ...)                             \
  struct id##_token : token<id##_token, __VA_ARGS__> {           \
    static constexpr const char* text = description;             \
  };                                                             \
  struct id : op<id##_token> {};
RIP_OP(compare_op, "an operator", pegtl::sor<TAO_PEGTL_STRING("=="), TAO_PEGTL_STRING("!="), TAO_PEGTL_STRING("<="),
                                             TAO_PEGTL_STRING(">="), pegtl::one<'<'>, pegtl::one<'>'>>)
RIP_OP(sum_op, "an operator", pegtl::one<'+', '-'>)
RIP_OP(times_op, "an operator", pegtl::one<'*'>)
#undef RIP_OP
struct product_op : pegtl::sor<times_op, op<w_div>, op<w_mod>> {};
struct range_op : op<dots> {};

struct sum_level_op : pegtl::sor<sum_op, product_op> {};
struct range_level_op : pegtl::sor<range_op, sum_level_op> {};
struct compare_level_op : pegtl::sor<range_level_op, compare_op, op<w_in>, op<w_not, w_in>> {};
struct logic_op : pegtl::sor<op<w_and>, op<w_or>> {};

struct is_test : node<Kind::is_test, w_is, pegtl::opt<flag<w_not>>, pegtl::sor<flag<w_none>, flag<w_empty>, flag<w_over>, flag<w_running>>> {};
struct minus_prefix : node<Kind::prefix, minus> {};
struct not_prefix : node<Kind::prefix, w_not> {};
struct arithmetic_operand : node<Kind::operand, run<minus_prefix>, post> {};
struct operand : node<Kind::operand, run<not_prefix>, run<minus_prefix>, post> {};

struct sum : node<Kind::chain, arithmetic_operand, run<q<sum_level_op, arithmetic_operand>>> {};
struct range : node<Kind::chain, arithmetic_operand, run<q<range_level_op, arithmetic_operand>>> {};
struct disjunction : node<Kind::chain, operand, run<pegtl::sor<is_test, q<compare_level_op, arithmetic_operand>, q<logic_op, operand>>>> {};

struct match_pattern : node<Kind::r_pattern, range> {};
struct patterns : pegtl::sor<flag<w_else>, listed<match_pattern>> {};
struct match_expr_arm : node<Kind::match_expr_arm, patterns, colon, node<Kind::r_value, expr>, maybe<comma>, margin> {};
struct match_expr : node<Kind::match_expr, w_match, node<Kind::r_condition, expr>, lbrace, margin, pegtl::star<match_expr_arm>, rbrace> {};
struct if_expr : node<Kind::if_expr, w_if, node<Kind::r_condition, expr>, w_then, node<Kind::r_then, expr>, w_else, node<Kind::r_else, expr>> {};
struct expr : nested<pegtl::sor<if_expr, match_expr, disjunction>> {};

struct opens_clause : peek<name, w_in> {};
struct values : q<node<Kind::r_value, expr>, pegtl::sor<q<w_for, clause>, many<comma, node<Kind::r_value, expr>>>> {};
struct items : node<Kind::items, pegtl::sor<q<opens_clause, clause>, values>> {};
struct list : node<Kind::list, lbracket, pegtl::opt<items>, rbracket> {};
struct set : node<Kind::set, lbrace, pegtl::opt<items>, rbrace> {};
struct paren : node<Kind::paren, lparen, expr, rparen> {};
struct phrase_number : node<Kind::phrase_number, pegtl::opt<minus>, integer> {};
/// `T < {...}` may be a comparison and is then read again, so inside the braces nothing is tried as `T <...>`: twice is enough.
struct phrase_set {
  using rule_t = phrase_set;
  using R = node<Kind::phrase_set, lbrace, pegtl::opt<args>, rbrace>;
  using subs_t = type_list<R>;
  RIP_MATCH_HEAD {
    ++st.in_phrase_set;
    const bool fits = Control<R>::template match<A, M, Action, Control>(in, st);
    --st.in_phrase_set;
    return fits;
  }
};
struct phrase_core : q<less, pegtl::star<pegtl::sor<phrase_number, any_small, phrase_set>>, greater> {};
struct phrase : node<Kind::phrase, phrase_core> {};
struct typed_phrase {
  using rule_t = typed_phrase;
  using R = node<Kind::phrase, type_name, phrase_core>;
  using subs_t = type_list<R>;
  RIP_MATCH_HEAD { return st.in_phrase_set == 0 && Control<R>::template match<A, M, Action, Control>(in, st); }
};
struct top_of : node<Kind::top_of, pegtl::sor<flag<w_top>, flag<w_bottom>>, maybe<node<Kind::r_count, sum>>, w_of, node<Kind::r_of, post>> {};
struct all_of : node<Kind::all_of, w_all, w_of, node<Kind::r_of, post>> {};
struct aggregate
    : node<Kind::aggregate,
           pegtl::sor<q<pegtl::sor<flag<w_count>, flag<w_some>, flag<w_first>, flag<w_best>>, lparen,
                        pegtl::sor<q<opens_clause, clause>, node<Kind::args, expr>>, rparen>,
                      q<flag<w_every>, lparen, node<Kind::r_value, expr>, w_for, clause, rparen>,
                      q<pegtl::sor<flag<w_sum>, flag<w_min>, flag<w_max>>, lparen, values, rparen>>> {};
struct call : node<Kind::call, name, lparen, pegtl::opt<args>, rparen> {};
struct word : node<Kind::word, pegtl::sor<name, type_name>> {};
struct original_expr : node<Kind::original_expr, w_original> {};
struct primary : pegtl::sor<integer, nested<top_of>, nested<all_of>, paren, list, set, aggregate, call, typed_phrase, phrase, original_expr, word> {};
struct index_args : node<Kind::index_args, lbracket, args, rbracket> {};
struct attribute : node<Kind::attribute, dot, any_small> {};
struct post : node<Kind::post, primary, run<pegtl::sor<index_args, attribute>>> {};

// ---- clauses and types ----

struct type : node<Kind::type, pegtl::sor<q<flag<w_set, w_of>, nested<type>>, q<range, pegtl::opt<flag<question>>>>> {};
struct index_item : node<Kind::index_item, maybe<name, colon>, type> {};
struct index : node<Kind::index, lbracket, listed<index_item>, rbracket> {};
struct param_item : node<Kind::param_item, name, maybe<colon, type>> {};
struct params : node<Kind::params, lparen, pegtl::opt<listed<param_item>>, rparen> {};
struct pick : q<w_of, node<Kind::r_of, post>, maybe<dots, node<Kind::r_to, sum>>, pegtl::opt<flag<w_in, w_order>>> {};
struct any_of : node<Kind::any_of, w_any, peek<name>> {};
struct binder : node<Kind::binder, pegtl::opt<any_of>, name, w_in, node<Kind::r_source, range>, pegtl::opt<pick>> {};
struct key : node<Kind::key, pegtl::sor<flag<w_high>, flag<w_low>, flag<w_clockwise, w_from>, flag<w_clockwise, w_after>>, sum> {};
struct backwards : q<flag<w_backwards>, maybe<w_if, node<Kind::r_backwards_if, expr>>> {};
struct keys : node<Kind::keys, listed<key>, pegtl::opt<backwards>> {};
struct bare_backwards : node<Kind::keys, backwards> {};
struct where : q<w_where, node<Kind::r_where, expr>> {};
struct clause
    : nested<node<Kind::clause, listed<binder>, pegtl::opt<where>, pegtl::opt<pegtl::sor<q<w_by, keys>, bare_backwards>>>> {};
struct each_clause : q<w_for, node<Kind::clause, listed<binder>, pegtl::opt<where>, maybe<w_by, node<Kind::keys, listed<key>>>>, peek_not<lbrace>> {};

// ---- statements ----

struct statement;
struct recover_statement;
struct block : node<Kind::block, lbrace, margin, pegtl::star<pegtl::sor<q<statement, margin>, recover_statement>>, rbrace> {};
struct face_option : q<w_face, node<Kind::r_face, sum>> {};
struct what : node<Kind::r_what, expr> {};

struct s_move : node<Kind::s_move, w_move, what, pegtl::sor<flag<w_to>, flag<w_under>>, node<Kind::r_to, post>, pegtl::opt<face_option>,
                     pegtl::opt<each_clause>> {};
struct s_fill : node<Kind::s_fill, w_fill, node<Kind::r_what, post>, maybe<w_to, node<Kind::r_to, sum>>, w_from, node<Kind::r_from, post>,
                     pegtl::opt<face_option>> {};
struct s_swap : node<Kind::s_swap, w_swap, what, maybe<w_with, node<Kind::r_with, expr>>> {};
struct s_turn : node<Kind::s_turn, w_turn, what, w_face, node<Kind::r_face, sum>> {};
struct s_shuffle : node<Kind::s_shuffle, w_shuffle, what> {};
struct s_roll : node<Kind::s_roll, w_roll, what> {};
struct s_show : node<Kind::s_show, w_show, what, maybe<w_to, node<Kind::r_to, expr>>> {};
struct s_set : node<Kind::s_set, w_set, node<Kind::r_target, post>, w_to, node<Kind::r_value, expr>> {};
struct s_raise : node<Kind::s_raise, pegtl::sor<flag<w_raise>, flag<w_lower>>, node<Kind::r_target, post>, w_by, node<Kind::r_value, expr>> {};
struct s_pay : node<Kind::s_pay, w_pay, node<Kind::r_amount, expr>, w_from, node<Kind::r_from, post>, w_to, node<Kind::r_to, post>> {};
struct s_let : node<Kind::s_let, w_let, name, assign, node<Kind::r_value, expr>> {};
struct seen_by : q<w_seen, w_by, node<Kind::r_seen, expr>> {};
struct variable
    : node<Kind::s_var, pegtl::sor<q<w_var, name, pegtl::opt<index>, colon, type, maybe<assign, node<Kind::r_start, expr>>, pegtl::opt<seen_by>>,
                                   q<flag<w_money>, name, pegtl::opt<index>, maybe<colon, type>, maybe<assign, node<Kind::r_start, expr>>>>> {};
struct s_if : node<Kind::s_if, w_if, node<Kind::r_condition, expr>, block, maybe<w_else, pegtl::sor<nested<s_if>, block>>> {};
struct limit : node<Kind::limit, pegtl::sor<flag<w_cut, w_off, w_after>, flag<w_at, w_most>>, sum> {};
struct for_loop : node<Kind::for_loop, w_for, clause> {};
struct until : q<w_until, node<Kind::r_until, expr>> {};
struct repeat_loop : node<Kind::repeat_loop, w_repeat, pegtl::opt<until>, pegtl::opt<limit>> {};
struct turns_loop : node<Kind::turns_loop, w_turns, w_from, node<Kind::r_from, expr>, maybe<w_then, node<Kind::r_then, expr>>, pegtl::opt<where>,
                         pegtl::opt<until>, pegtl::opt<limit>> {};
struct loop : pegtl::sor<for_loop, repeat_loop, turns_loop> {};
struct s_loop : node<Kind::s_loop, loop, block> {};
struct match_arm : node<Kind::match_arm, patterns, block, margin> {};
struct s_match : node<Kind::s_match, w_match, node<Kind::r_condition, expr>, lbrace, margin, pegtl::star<match_arm>, rbrace> {};

struct option;
struct recover_option;
struct options : q<lbrace, margin, pegtl::star<pegtl::sor<q<option, margin>, recover_option>>, rbrace> {};
struct option_args : node<Kind::option_args, lparen, pegtl::sor<where, clause>, rparen> {};
struct option_group : node<Kind::option_group, w_where, node<Kind::r_where, expr>, options> {};
struct move_option : node<Kind::option, pegtl::opt<flag<w_secretly>>, pegtl::opt<flag<w_otherwise>>, move_name, pegtl::opt<option_args>, block> {};
struct option : nested<pegtl::sor<option_group, move_option>> {};
struct s_choose : node<Kind::s_choose, w_choose, pegtl::sor<q<flag<w_each>, clause>, node<Kind::r_seat, post>>, pegtl::opt<flag<w_secretly>>, options> {};

struct s_do : node<Kind::s_do, w_do, name, lparen, pegtl::opt<args>, rparen> {};
struct s_together : node<Kind::s_together, w_together, block> {};
struct s_original : node<Kind::s_original, w_original> {};
struct s_stop : node<Kind::s_stop, w_stop> {};
struct s_win : node<Kind::s_win, w_win, node<Kind::r_what, expr>> {};
struct s_end : node<Kind::s_end, w_end, pegtl::sor<flag<w_turn>, flag<w_game>, q<flag<w_phase>, maybe<name, peek_not<pegtl::sor<lparen, lbrace>>>>>> {};
struct moment : node<Kind::moment, w_at, pegtl::sor<flag<w_end>, q<move_name, pegtl::opt<pegtl::sor<flag<w_begins>, flag<w_ends>>>>>> {};
struct claim : node<Kind::s_claim, pegtl::sor<flag<w_always>, flag<w_never>, flag<w_sometimes>>, string, maybe<colon, node<Kind::r_condition, expr>>,
                    pegtl::opt<moment>> {};
struct note : node<Kind::s_note, w_note, string> {};
struct phase : node<Kind::s_phase, w_phase, name, pegtl::opt<params>, pegtl::opt<loop>, block> {};
struct when : node<Kind::s_when, w_when, pegtl::sor<q<opens_clause, clause>, node<Kind::r_condition, expr>>, block> {};

struct statement
    : nested<pegtl::sor<s_move, s_fill, s_swap, s_turn, s_shuffle, s_roll, s_show, s_set, s_raise, s_pay, s_let, variable, s_if, s_loop, s_match,
                        s_choose, s_do, s_together, s_original, s_stop, s_win, s_end, claim, note, phase, when>> {};

// ---- declarations ----

struct recover_declaration;
struct players : node<Kind::d_players, w_players, range, maybe<comma, w_usually, integer>> {};
struct require : node<Kind::d_require, w_require, string, colon, node<Kind::r_condition, expr>> {};
struct param : node<Kind::d_param, w_param, name, pegtl::opt<index>, colon, type, assign, node<Kind::r_value, expr>> {};
struct enumeration : node<Kind::d_enum, w_enum, type_name, lbrace, margin, listed<name>, rbrace> {};
struct attribute_decl : node<Kind::attribute_decl, maybe<flag<w_back>, peek<name>>, name, colon, type, maybe<assign, node<Kind::r_value, expr>>> {};
struct attributes : q<lbrace, margin, pegtl::star<attribute_decl>, rbrace> {};
struct component : node<Kind::d_component, pegtl::sor<q<pegtl::sor<flag<w_card>, flag<w_token>>, type_name, attributes>,
                                                      q<flag<w_die>, type_name, range, pegtl::opt<attributes>>>> {};
struct refill : node<Kind::refill, w_refilled, w_from, node<Kind::r_from, post>, maybe<w_keeping, node<Kind::r_keeping, sum>>> {};
struct deck_line : node<Kind::deck_line, pegtl::sor<flag<w_original>, q<node<Kind::r_count, post>, w_x, phrase, maybe<w_for, clause>>>, margin> {};
struct deck : node<Kind::d_deck, w_deck, name, pegtl::opt<index>, w_of, type_name, pegtl::opt<refill>, maybe<w_from, string>,
                   maybe<lbrace, margin, pegtl::star<pegtl::sor<deck_line, recover_declaration>>, rbrace>> {};
struct zone_option : pegtl::sor<q<w_face, node<Kind::r_face, name>>, q<w_max, node<Kind::r_max, sum>>, refill, seen_by> {};
struct zone : node<Kind::d_zone, w_zone, name, pegtl::opt<index>, colon, pegtl::sor<flag<w_pile>, flag<w_row>, flag<w_hand>, flag<w_place>>, w_of,
                   type_name, pegtl::star<zone_option>> {};
struct let : node<Kind::d_let, w_let, name, params, maybe<colon, type>, assign, node<Kind::r_value, expr>> {};
struct rule : node<Kind::d_rule, w_rule, name, params, block> {};
struct score : node<Kind::d_score, w_score, name, assign, node<Kind::r_value, expr>> {};
struct winner : node<Kind::d_winner, w_winner, name, pegtl::opt<where>, w_by, keys> {};
struct report : node<Kind::d_report, w_report, string, assign, node<Kind::r_value, expr>> {};
struct bound : node<Kind::d_bound, w_bound, node<Kind::r_value, sum>, w_in, node<Kind::r_low, sum>, dots, node<Kind::r_high, sum>, maybe<w_for, clause>> {};

struct delta;
struct recover_delta;
struct deltas : q<lbrace, margin, pegtl::star<pegtl::sor<q<delta, margin>, recover_delta>>, rbrace> {};
struct small : node<Kind::d_small, w_small, string, deltas> {};
struct variant : node<Kind::d_variant, w_variant, string, maybe<w_of, string>, deltas> {};
struct step;
struct recover_step;
struct scenario : node<Kind::d_scenario, w_scenario, string, maybe<w_of, string>, lbrace, margin,
                       pegtl::star<pegtl::sor<q<step, margin>, recover_step>>, rbrace> {};

struct declaration
    : nested<pegtl::sor<players, note, require, param, enumeration, component, deck, zone, variable, let, rule, phase, when, score, winner, report,
                        claim, bound, small, variant, scenario>> {};

// ---- variants ----

struct at_tag : node<Kind::delta_at, pegtl::sor<flag<w_before>, flag<w_after>, flag<w_replace>>, tags, node<Kind::entries, lbrace, margin,
                     pegtl::star<q<pegtl::sor<deck_line, move_option, option_group, statement, declaration>, margin>>, rbrace>> {};
struct delta_set : node<Kind::delta_set, w_set, name, w_to, node<Kind::r_value, expr>> {};
struct delta_replace : node<Kind::delta_replace, w_replace, declaration> {};
struct delta_remove : node<Kind::delta_remove, w_remove, pegtl::sor<tags, q<w_bound, node<Kind::r_value, sum>>, q<any_small, pegtl::sor<string, any_small, type_name>>>> {};
struct delta : pegtl::sor<delta_set, at_tag, delta_replace, delta_remove, declaration> {};

// ---- scenarios ----

struct move_call : node<Kind::move_call, move_name, maybe<flag<lparen>, pegtl::opt<args>, rparen>> {};
struct card_item : node<Kind::card_item, maybe<integer, w_x>, pegtl::sor<flag<w_any>, typed_phrase, phrase>> {};
struct cards : node<Kind::cards, pegtl::sor<flag<w_empty>, pegtl::plus<card_item>>> {};
struct given : node<Kind::given, w_given, post, pegtl::sor<q<colon, cards>, q<equal2, node<Kind::r_value, expr>>>> {};
struct seat : type_name {};
struct st_players : node<Kind::st_players, w_players, listed<type_name>> {};
struct st_start : node<Kind::st_start, w_start, pegtl::sor<q<flag<w_do>, name, lparen, pegtl::opt<args>, rparen>, name>> {};
struct st_next : node<Kind::st_next, w_next, pegtl::sor<q<flag<w_roll>, colon, pegtl::plus<integer>>, q<post, colon, cards>>> {};
struct st_expect : node<Kind::st_expect, w_expect, node<Kind::r_condition, expr>,
                        pegtl::opt<pegtl::sor<q<flag<w_with, w_chance>, integer, w_of, integer>, flag<w_on, w_average>>>> {};
struct st_swapping : node<Kind::st_swapping, w_swapping, pegtl::sor<given, q<type_name, w_does, move_call>>, w_looks,
                          pegtl::sor<flag<w_the, w_same>, flag<w_different>>, w_to, node<Kind::args, listed<type_name>>> {};
struct st_seat
    : pegtl::sor<node<Kind::st_knows, type_name, flag<w_does, w_not, w_know>, node<Kind::r_what, sum>>,
                 node<Kind::st_does, type_name, w_does, move_call>,
                 node<Kind::st_can, type_name, pegtl::sor<flag<w_cannot>, flag<w_can>>, move_call>,
                 node<Kind::st_knows, type_name, w_knows, node<Kind::r_what, sum>>, node<Kind::st_has, type_name, w_has, integer, pegtl::sor<w_moves, flag<w_worlds>>>> {};
struct step : pegtl::sor<st_players, delta_set, st_start, given, st_next, st_expect, note, st_swapping, st_seat> {};

// ---- the whole, and recovery ----

/// Fails at `}` (but at the top, where it closes nothing) and the end; elsewhere notes the furthest error and skips to the next
/// place where an item can begin.
enum class Item { statement, option, declaration, top, delta, step };
/// Defined beside the parser: where reading may resume behind `from`, at the same depth of braces.
const char* resume(const char* begin, const char* from, const char* end, const char* furthest, Item item);

template <Item I>
struct recover {
  using rule_t = recover;
  using subs_t = type_list<blank>;
  RIP_MATCH_HEAD {
    if (in.empty() || (*in.current() == '}' && I != Item::top) || st.quiet > 0) return false;
    const char* at = in.current();
    const char* failed = st.furthest != nullptr && st.furthest >= at ? st.furthest : at;
    if (st.errors.size() < 100) st.errors.push_back({failed, st.furthest_last_end, failed > at, st.expected});
    const char* next = resume(st.begin, at, at + in.size(), failed, I);
    in.bump(static_cast<std::size_t>(next - at));
    st.last_end = next;
    while (st.last_end > at && (st.last_end[-1] == ' ' || st.last_end[-1] == '\n' || st.last_end[-1] == '\t' || st.last_end[-1] == '\r')) --st.last_end;
    (void)Control<blank>::template match<A, rewind_mode::dontcare, Action, Control>(in, st);
    st.furthest = nullptr;
    st.expected.clear();
    return true;
  }
};
struct recover_statement : recover<Item::statement> {};
struct recover_option : recover<Item::option> {};
struct recover_declaration : recover<Item::declaration> {};
struct recover_top : recover<Item::top> {};
struct recover_delta : recover<Item::delta> {};
struct recover_step : recover<Item::step> {};

struct header : node<Kind::header, w_game, string, w_language, integer, margin> {};
struct script : node<Kind::script, blank, pegtl::opt<header>, pegtl::star<pegtl::sor<q<declaration, margin>, recover_top>>> {};
struct lone_expression : q<blank, expr, pegtl::eof> {};
struct lone_step : q<blank, step, pegtl::eof> {};
struct lone_call : q<blank, move_call, pegtl::eof> {};

}  // namespace r
}  // namespace rip::grammar

// How PEGTL's analysis for loops without progress reads the rules above.
namespace tao::pegtl {
template <class Name, class Self, class R>
struct analyze_traits<Name, rip::grammar::r::token<Self, R>> : analyze_traits<Name, typename seq<R, rip::grammar::r::blank>::rule_t> {};
template <class Name, class... Rs>
struct analyze_traits<Name, rip::grammar::r::q<Rs...>> : analyze_traits<Name, typename seq<Rs...>::rule_t> {};
template <class Name, rip::grammar::Kind K, class... Rs>
struct analyze_traits<Name, rip::grammar::r::node<K, Rs...>> : analyze_traits<Name, typename seq<Rs...>::rule_t> {};
template <class Name, class... Rs>
struct analyze_traits<Name, rip::grammar::r::peek<Rs...>> : analyze_traits<Name, typename at<Rs...>::rule_t> {};
template <class Name, class... Rs>
struct analyze_traits<Name, rip::grammar::r::peek_not<Rs...>> : analyze_traits<Name, typename not_at<Rs...>::rule_t> {};
template <class Name, class R>
struct analyze_traits<Name, rip::grammar::r::nested<R>> : analyze_traits<Name, typename seq<R>::rule_t> {};
template <class Name, class R>
struct analyze_traits<Name, rip::grammar::r::run<R>> : analyze_traits<Name, typename star<R>::rule_t> {};
template <class Name>
struct analyze_traits<Name, rip::grammar::r::phrase_set> : analyze_traits<Name, typename seq<rip::grammar::r::phrase_set::R>::rule_t> {};
template <class Name>
struct analyze_traits<Name, rip::grammar::r::typed_phrase> : analyze_traits<Name, typename seq<rip::grammar::r::typed_phrase::R>::rule_t> {};
template <class Name, rip::grammar::r::Item I>
struct analyze_traits<Name, rip::grammar::r::recover<I>> : analyze_traits<Name, typename any::rule_t> {};
}  // namespace tao::pegtl
