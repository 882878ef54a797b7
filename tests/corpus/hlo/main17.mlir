module @m {
 func.func public @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32> {

 }
}
