" Made by `ripdsl grammar --vim` from the keyword table.
if exists("b:current_syntax")
  finish
endif
syn case match
syn match ripdslContext /\.\@<!\<\%(money\|game\|language\|players\|usually\|require\|param\|enum\|card\|token\|die\|deck\|zone\|rule\|score\|winner\|report\|bound\|small\|variant\|scenario\|back\|refilled\|keeping\|pile\|row\|hand\|place\|face\|seen\|at\|begins\|ends\|cut\|off\|after\|most\|with\|secretly\|otherwise\|high\|low\|clockwise\|backwards\|order\|none\|empty\|over\|running\|any\|replace\|before\|remove\|start\|given\|next\|expect\|swapping\|looks\|the\|same\|different\|does\|can\|cannot\|knows\|know\|has\|moves\|worlds\|chance\|on\|average\)\>\%(\s*[[(.]\)\@!/
syn match ripdslContext /\<\%(x\)\>\ze\s*</
syn match ripdslNumber /\<\d\+\>/
syn match ripdslType /\<\u\w*\>/
syn match ripdslKeyword /\.\@<!\<\%(move\|fill\|swap\|turn\|shuffle\|roll\|show\|set\|raise\|lower\|pay\|let\|var\|if\|for\|repeat\|turns\|match\|choose\|do\|together\|original\|stop\|win\|end\|always\|never\|sometimes\|note\|when\|phase\|then\|else\|or\|and\|not\|in\|is\|of\|div\|mod\|where\|by\|until\|from\|to\|under\|top\|bottom\|all\|each\|count\|some\|every\|sum\|min\|max\|first\|best\)\>/
syn match ripdslConstant /\.\@<!\<\%(yes\|no\|nobody\|me\|up\|down\|winners\|owner\|random\|nth\|previous\|number\|abs\|flag\|player\|text\|Face\)\>/
syn match ripdslClause /\[\s*\u\+-\d\+\l\?\%(\s*,\s*\u\+-\d\+\l\?\)*\s*\]/
syn match ripdslString /"[^"]*"\?/
syn match ripdslComment /#.*$/ contains=@Spell
hi def link ripdslContext Type
hi def link ripdslNumber Number
hi def link ripdslType Structure
hi def link ripdslKeyword Statement
hi def link ripdslConstant Constant
hi def link ripdslClause Special
hi def link ripdslString String
hi def link ripdslComment Comment
let b:current_syntax = "ripdsl"
