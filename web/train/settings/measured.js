// 2017’s block against today’s, by task, seeds 0 to 4: written by npm run blocks.

/** @type {Record<string, import('./expected.js').Measured>} */
// prettier-ignore
export const measured = {
  'copy': { steps: 100, runs: [
    {
      name: '2017’s block', parameters: 8874, seconds: 0.284,
      reached: [25, 25, 25, 25, 25],
      right: [1, 1, 1, 1, 1],
      loss: [0.001792, 0.001988, 0.002009, 0.002025, 0.001999],
    },
    {
      name: 'today’s block', parameters: 8842, seconds: 0.2173,
      reached: [25, 0, 0, 0, 25],
      right: [1, 1, 1, 1, 1],
      loss: [0.001223, 0.001844, 0.001763, 0.001714, 0.00142],
    },
  ] },
  'order': { steps: 200, runs: [
    {
      name: '2017’s block', parameters: 8973, seconds: 0.3942,
      reached: [75, 100, 150, 75, 75],
      right: [1, 1, 1, 1, 1],
      loss: [0.0004807, 0.0006369, 0.001146, 0.0005079, 0.0003877],
    },
    {
      name: 'today’s block', parameters: 8973, seconds: 0.3567,
      reached: [75, 75, 100, 75, 100],
      right: [1, 1, 1, 1, 1],
      loss: [0.0004564, 0.0006057, 0.0007192, 0.0005579, 0.0004712],
    },
  ] },
  'reverse': { steps: 400, runs: [
    {
      name: '2017’s block', parameters: 8874, seconds: 0.7571,
      reached: [200, 175, 175, 250, 200],
      right: [1, 1, 1, 0.9844, 1],
      loss: [0.001571, 0.0004334, 0.0009376, 0.003577, 0.0005868],
    },
    {
      name: 'today’s block', parameters: 8842, seconds: 0.6417,
      reached: [null, null, null, null, null],
      right: [0, 0, 0, 0, 0],
      loss: [1.298, 1.117, 1.341, 1.273, 1.203],
    },
    {
      name: 'RMSNorm', parameters: 8810, seconds: 0.5615,
      reached: [200, 175, 175, 250, 225],
      right: [1, 0.974, 1, 0.9948, 1],
      loss: [0.0005161, 0.01245, 0.001141, 0.002831, 0.0006038],
    },
    {
      name: 'rotary positions', parameters: 8874, seconds: 0.5879,
      reached: [null, null, null, null, null],
      right: [0, 0, 0, 0, 0],
      loss: [1.261, 1.044, 1.148, 1.323, 1.091],
    },
    {
      name: 'gated FFN (SwiGLU), as many parameters', parameters: 8830, seconds: 0.6655,
      reached: [225, 175, 200, 350, 200],
      right: [0.9896, 1, 0.9792, 0.9896, 1],
      loss: [0.004593, 0.001769, 0.00812, 0.005985, 0.0004152],
    },
  ] },
  'reverse-variable': { steps: 600, runs: [
    {
      name: '2017’s block', parameters: 17484, seconds: 2.94,
      reached: [500, 525, 475, 500, 450],
      right: [1, 1, 1, 1, 1],
      loss: [0.004984, 0.001755, 0.002075, 0.002286, 0.004324],
    },
    {
      name: 'today’s block', parameters: 17452, seconds: 2.904,
      reached: [null, null, null, null, null],
      right: [0.8906, 0.2292, 0.9896, 0.8229, 0.4896],
      loss: [0.07038, 0.661, 0.01052, 0.1013, 0.2781],
    },
    {
      name: 'RMSNorm', parameters: 17356, seconds: 2.439,
      reached: [425, 450, 475, 425, 575],
      right: [1, 1, 1, 1, 1],
      loss: [0.002474, 0.002572, 0.002547, 0.002702, 0.0034],
    },
    {
      name: 'rotary positions', parameters: 17484, seconds: 2.671,
      reached: [null, null, null, null, null],
      right: [0.8073, 0.9688, 0.005208, 0.2396, 0.8177],
      loss: [0.1129, 0.04008, 1.125, 0.6518, 0.1104],
    },
    {
      name: 'gated FFN (SwiGLU), as many parameters', parameters: 17396, seconds: 2.844,
      reached: [475, 525, 525, 600, 525],
      right: [1, 1, 1, 1, 1],
      loss: [0.002242, 0.004481, 0.004147, 0.01263, 0.003379],
    },
    {
      name: 'half as many key–value heads', parameters: 15372, seconds: 2.396,
      reached: [475, null, 350, 500, 525],
      right: [1, 0.02604, 1, 1, 1],
      loss: [0.001523, 0.9909, 0.00174, 0.003214, 0.004138],
    },
  ] },
  'sort': { steps: 1000, runs: [
    {
      name: '2017’s block', parameters: 17418, seconds: 2.69,
      reached: [550, 750, 650, 500, 675],
      right: [1, 1, 1, 1, 1],
      loss: [0.0004998, 0.0005107, 0.0006508, 0.0003967, 0.0006601],
    },
    {
      name: 'today’s block', parameters: 17386, seconds: 3.287,
      reached: [null, null, null, null, null],
      right: [0.974, 0.974, 0.9688, 0.9844, 0.9792],
      loss: [0.02131, 0.01373, 0.0274, 0.01211, 0.01872],
    },
    {
      name: 'RMSNorm', parameters: 17290, seconds: 3.035,
      reached: [600, 575, 675, 625, 675],
      right: [1, 1, 1, 1, 1],
      loss: [0.0005487, 0.0005005, 0.0004726, 0.0005259, 0.0005698],
    },
    {
      name: 'rotary positions', parameters: 17418, seconds: 3.237,
      reached: [925, null, null, null, null],
      right: [0.9948, 0.9688, 0.9479, 0.9844, 0.9792],
      loss: [0.01512, 0.02427, 0.02528, 0.01256, 0.02017],
    },
    {
      name: 'gated FFN (SwiGLU), as many parameters', parameters: 17330, seconds: 3.518,
      reached: [675, 475, 675, 700, 775],
      right: [1, 1, 1, 1, 1],
      loss: [0.0005299, 0.0003553, 0.0004729, 0.0007239, 0.001118],
    },
    {
      name: 'half as many key–value heads', parameters: 15306, seconds: 2.836,
      reached: [625, 600, 575, 500, 700],
      right: [1, 1, 1, 1, 1],
      loss: [0.0007372, 0.0005301, 0.000334, 0.0005625, 0.0004156],
    },
  ] },
  'addition': { steps: 2000, runs: [
    {
      name: '2017’s block', parameters: 17517, seconds: 6.778,
      reached: [600, 1400, 850, 900, 800],
      right: [1, 1, 1, 1, 1],
      loss: [0.00003871, 0.002738, 0.0001284, 0.0002323, 0.0002156],
    },
    {
      name: 'today’s block', parameters: 17485, seconds: 7.304,
      reached: [500, 650, 775, 575, 1075],
      right: [1, 1, 1, 1, 1],
      loss: [0.00009281, 0.0001577, 0.00001019, 0.00001083, 0.0005738],
    },
  ] },
  'induction': { steps: 500, runs: [
    {
      name: '2017’s block', parameters: 18384, seconds: 2.698,
      reached: [350, 300, 425, 350, null],
      right: [0.9923, 0.9944, 0.9938, 0.9977, 0.9876],
      loss: [0.05787, 0.02275, 0.03314, 0.01309, 0.05669],
    },
    {
      name: 'today’s block', parameters: 18352, seconds: 2.932,
      reached: [250, 275, null, 275, 250],
      right: [0.9994, 0.9983, 0.7544, 0.9972, 0.9989],
      loss: [0.003277, 0.01732, 0.6593, 0.02439, 0.005888],
    },
  ] },
  'story': { steps: 400, runs: [
    {
      name: '2017’s block', parameters: 43163, seconds: 7.22,
      reached: [275, 225, 200, 250, 225],
      right: [1, 1, 1, 1, 1],
      loss: [0.3682, 0.3719, 0.3693, 0.369, 0.3644],
    },
    {
      name: 'today’s block', parameters: 43211, seconds: 7.618,
      reached: [175, 200, 225, 225, 275],
      right: [1, 1, 1, 1, 1],
      loss: [0.3659, 0.3728, 0.3683, 0.3674, 0.3614],
    },
  ] },
  'text': { steps: 1000, runs: [
    {
      name: '2017’s block', parameters: 41644, seconds: 7.392,
      reached: [null, null, null, null, null],
      right: [0.4942, 0.4985, 0.5012, 0.4971, 0.4848],
      loss: [1.742, 1.736, 1.751, 1.753, 1.766],
    },
    {
      name: 'today’s block', parameters: 41692, seconds: 8.155,
      reached: [null, null, null, null, null],
      right: [0.538, 0.5418, 0.535, 0.5467, 0.5394],
      loss: [1.625, 1.647, 1.655, 1.63, 1.641],
    },
  ] },
};
