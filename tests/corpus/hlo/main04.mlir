module @m {
 func.func public @main() -> tensor<2xf32> {
%0 = stablehlo.constant dense<[0x3F800000, -2.5e-1]> : tensor<2xf32>
return %0 : tensor<2xf32>
 }
}
