module @m {
 func.func public @main() -> tensor<3xi1> {
%0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
return %0 : tensor<3xi1>
 }
}
