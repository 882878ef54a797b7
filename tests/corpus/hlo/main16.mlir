module @m {
 func.func public @main(%a: tensor<?xf32>) -> tensor<2xf32> {

 }
}
