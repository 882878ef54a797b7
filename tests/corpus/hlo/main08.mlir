module @m {
 func.func public @main() -> tensor<10xi1> {
%0 = stablehlo.constant dense<"0x0502"> : tensor<10xi1>
return %0 : tensor<10xi1>
 }
}
