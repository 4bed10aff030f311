/* The game of tricks.m in Promela, for the model checker SPIN: hands, stock and won cards are bit sets, each rule is one step. */
#ifndef RANKS
#define RANKS 3
#endif
#define CARDS (3 * RANKS)
#define NOTHING 255
#define BIT(c) (1 << (c))
#define LED (table[leader] / RANKS)
#define ALL_OF(suit) (((1 << RANKS) - 1) << ((suit) * RANKS))

short stock = (1 << CARDS) - 1;
short hand[3], won[3];
byte table[3] = NOTHING;
byte leader, on_move, dealt;
hidden byte best;

/* Whoever leads may play anything; others follow the suit of the leader's card if they can. */
#define FITS(c) (on_move == leader || (c) / RANKS == LED || (hand[on_move] & ALL_OF(LED)) == 0)
#define BEATS(seat) (table[seat] / RANKS == LED && table[seat] > table[best])

#define CARD(c) \
  :: d_step { dealt < CARDS && (stock & BIT(c)) -> stock = stock & ~BIT(c); hand[dealt / RANKS] = hand[dealt / RANKS] | BIT(c); dealt++ } \
  :: d_step { dealt == CARDS && (hand[on_move] & BIT(c)) && FITS(c) -> \
      hand[on_move] = hand[on_move] & ~BIT(c); table[on_move] = c; on_move = (on_move + 1) % 3; \
      if \
      :: on_move == leader -> \
        best = leader; \
        if :: BEATS((leader + 1) % 3) -> best = (leader + 1) % 3 :: else fi; \
        if :: BEATS((leader + 2) % 3) -> best = (leader + 2) % 3 :: else fi; \
        won[best] = won[best] | BIT(table[0]) | BIT(table[1]) | BIT(table[2]); \
        table[0] = NOTHING; table[1] = NOTHING; table[2] = NOTHING; \
        leader = best; on_move = best; best = 0 \
      :: else \
      fi }

init {
end:
  do
  CARD(0) CARD(1) CARD(2) CARD(3) CARD(4) CARD(5)
#if CARDS > 6
  CARD(6) CARD(7) CARD(8)
#endif
#if CARDS > 9
  CARD(9) CARD(10) CARD(11)
#endif
  od
}
