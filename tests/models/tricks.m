-- Nine cards in three suits, three players, follow suit: the game of tests/models/tricks.rip with `ranks` = 3, in Murphi, for the model
-- checker Rumur. Every card dealt is a state, every card is told apart, won cards too: both have to find as many states.
const
  Ranks: 3;
  Cards: 9;
type
  player: 0..2;
  card: 0..Cards - 1;
  place: enum { stock, hand0, hand1, hand2, table0, table1, table2, won0, won1, won2 };
var
  lies: array [card] of place;
  leader: player;
  on_move: player;
  dealt: 0..Cards;

function hand(p: player): place;
begin
  switch p case 0: return hand0; case 1: return hand1; else return hand2; endswitch;
end;
function table(p: player): place;
begin
  switch p case 0: return table0; case 1: return table1; else return table2; endswitch;
end;
function won(p: player): place;
begin
  switch p case 0: return won0; case 1: return won1; else return won2; endswitch;
end;
function suit(c: card): 0..2;
begin
  return c / Ranks;
end;

-- May p play c? Whoever leads may play anything; others follow the suit of the leader's card if they can.
function fits(p: player; c: card): boolean;
begin
  if p = leader then return true; endif;
  for d: card do
    if lies[d] = table(leader) then
      if suit(c) = suit(d) then return true; endif;
      for own: card do
        if lies[own] = hand(p) & suit(own) = suit(d) then return false; endif;
      endfor;
    endif;
  endfor;
  return true;
end;

startstate begin
  for c: card do lies[c] := stock; endfor;
  leader := 0;
  on_move := 0;
  dealt := 0;
end;

ruleset c: card do
  rule "take" dealt < Cards & lies[c] = stock ==>
  begin
    lies[c] := hand(dealt / Ranks);
    dealt := dealt + 1;
  end;
  rule "play" dealt = Cards & lies[c] = hand(on_move) & fits(on_move, c) ==>
  var
    best: card;
    winner: player;
  begin
    lies[c] := table(on_move);
    if (on_move + 1) % 3 != leader then
      on_move := (on_move + 1) % 3;
    else
      for d: card do
        if lies[d] = table(leader) then best := d; winner := leader; endif;
      endfor;
      for p: player do
        for d: card do
          if lies[d] = table(p) & suit(d) = suit(best) & d > best then best := d; winner := p; endif;
        endfor;
      endfor;
      for d: card do
        if lies[d] = table0 | lies[d] = table1 | lies[d] = table2 then lies[d] := won(winner); endif;
      endfor;
      leader := winner;
      on_move := winner;
    endif;
  end;
endruleset;

-- The end: all cards are won.
rule "over" forall c: card do lies[c] = won0 | lies[c] = won1 | lies[c] = won2 end ==> begin end;
