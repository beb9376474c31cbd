module keelson

go 1.19
