# From To
0	3
3, 1
2 2 0.5
