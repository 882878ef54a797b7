module @m {
 func.func public @main(%a: tensor<f32>) -> tensor<f32> {
%c = stablehlo.constant dense<1> : tensor<i32>
%0 = "stablehlo.case"(%c) ({
 stablehlo.return %a : tensor<f32>
 }, {
%1 = stablehlo.negate %a : tensor<f32>
stablehlo.return %1 : tensor<f32>
 }) : (tensor<i32>) -> tensor<f32>
 return %0 : tensor<f32>
 }
}
