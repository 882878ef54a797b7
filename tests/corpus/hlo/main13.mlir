module @m {
 func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
%i = stablehlo.iota dim = 0 : tensor<4xi32>
%0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
^bb0(%l: tensor<f32>, %r: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
%1 = stablehlo.compare GT, %l, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
stablehlo.return %1 : tensor<i1>
}) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
 return %0#0 : tensor<4xf32>
 }
}
