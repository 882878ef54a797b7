module @m {
 func.func public @main(%a: tensor<4xf32>) -> tensor<2xf32> {
%0 = stablehlo.slice %a [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
 return %0 : tensor<2xf32>
 }
}
