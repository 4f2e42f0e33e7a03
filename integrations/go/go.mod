module example.com/suppressionlist

go 1.18
