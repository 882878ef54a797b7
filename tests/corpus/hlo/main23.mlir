module @m {
 func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
%0 = call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
return %0 : tensor<2xf32>
 }
}
