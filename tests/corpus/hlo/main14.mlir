module @m {
 func.func public @main(%a: tensor<2xf32>) -> tensor<2x4xui8> {
%0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xui8>
 return %0 : tensor<2x4xui8>
 }
}
