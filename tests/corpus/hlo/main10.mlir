module @m {
 func.func public @main() -> tensor<3xui16> {
%0 = stablehlo.constant dense<65535> : tensor<3xui16>
return %0 : tensor<3xui16>
 }
}
