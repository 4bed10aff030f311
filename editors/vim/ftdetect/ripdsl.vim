autocmd BufRead,BufNewFile *.rip setfiletype ripdsl
