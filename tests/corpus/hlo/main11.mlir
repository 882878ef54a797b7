module @m {
 func.func public @main(%a: tensor<f32>) -> tensor<f32> {
%c = stablehlo.constant dense<0> : tensor<i32>
 %two = stablehlo.add %a, %a : tensor<f32>
%0:2 = stablehlo.while(%i = %c, %s = %a) : tensor<i32>, tensor<f32>
 cond {
%n = stablehlo.constant dense<3> : tensor<i32>
%1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %1 : tensor<i1>
 } do {
%n = stablehlo.constant dense<1> : tensor<i32>
 %1 = stablehlo.add %i, %n : tensor<i32>
%2 = stablehlo.add %s, %two : tensor<f32>
stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
 }
 return %0#1 : tensor<f32>
 }
}
