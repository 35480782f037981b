// Earlier measurements of each card at its own switches: written by npm run answer-key.
// prettier-ignore
export const known = {
 "when": "2026-11-26",
 "variant": "simd",
 "cards": {
  "1": {
   "verdict": "true",
   "seconds": 3
  },
  "2": {
   "verdict": "it depends",
   "on": "d_k and the learning rate",
   "seconds": 22
  },
  "3": {
   "verdict": "true",
   "seconds": 0.076
  },
  "4": {
   "verdict": "it depends",
   "on": "the mask",
   "seconds": 0.047
  },
  "5": {
   "verdict": "it depends",
   "on": "the mask",
   "seconds": 0.45
  },
  "6": {
   "verdict": "it depends",
   "on": "how the input is read",
   "seconds": 14
  },
  "7": {
   "verdict": "true",
   "seconds": 0.98
  },
  "8": {
   "verdict": "true",
   "seconds": 0.97
  },
  "9": {
   "verdict": "true",
   "seconds": 0.026
  },
  "10": {
   "verdict": "true",
   "seconds": 0.034
  },
  "11": {
   "verdict": "false",
   "seconds": 0.63
  },
  "12": {
   "verdict": "true",
   "seconds": 0.048
  },
  "13": {
   "verdict": "it depends",
   "on": "the load",
   "seconds": 11
  },
  "14": {
   "verdict": "it depends",
   "on": "the task and the number of heads",
   "seconds": 14
  },
  "15": {
   "verdict": "true",
   "seconds": 0.021
  },
  "16": {
   "verdict": "it depends",
   "on": "which half is meant",
   "seconds": 6.1
  },
  "17": {
   "verdict": "true",
   "seconds": 1.5
  },
  "18": {
   "verdict": "true",
   "seconds": 1.2
  },
  "19": {
   "verdict": "it depends",
   "on": "the layer",
   "seconds": 8.3
  },
  "20": {
   "verdict": "true",
   "seconds": 0.026
  },
  "21": {
   "verdict": "it depends",
   "on": "the layer",
   "seconds": 14
  },
  "22": {
   "verdict": "false",
   "seconds": 0.014
  },
  "23": {
   "verdict": "it depends",
   "on": "the number of keys and the lead in score",
   "seconds": 0.00078
  }
 }
};
