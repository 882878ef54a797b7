module @m {
 func.func public @main() -> tensor<2x2xi8> {
%0 = stablehlo.constant dense<[[1, -2], [3, 127]]> : tensor<2x2xi8>
return %0 : tensor<2x2xi8>
 }
}
