// Earlier measurements of each card at its own switches: written by npm run answer-key.
// prettier-ignore
export const known = {
 "when": "2026-11-25",
 "variant": "simd",
 "cards": {
  "1": {
   "verdict": "true",
   "seconds": 3.2
  },
  "2": {
   "verdict": "false",
   "seconds": 8.2
  },
  "3": {
   "verdict": "true",
   "seconds": 0.066
  },
  "4": {
   "verdict": "it depends",
   "on": "the mask",
   "seconds": 0.033
  },
  "5": {
   "verdict": "it depends",
   "on": "the mask",
   "seconds": 0.41
  },
  "6": {
   "verdict": "it depends",
   "on": "the mask",
   "seconds": 18
  },
  "7": {
   "verdict": "true",
   "seconds": 0.87
  },
  "8": {
   "verdict": "true",
   "seconds": 0.86
  },
  "9": {
   "verdict": "true",
   "seconds": 0.025
  },
  "10": {
   "verdict": "true",
   "seconds": 0.026
  },
  "11": {
   "verdict": "false",
   "seconds": 0.53
  },
  "12": {
   "verdict": "true",
   "seconds": 0.054
  },
  "13": {
   "verdict": "it depends",
   "on": "the load",
   "seconds": 11
  },
  "14": {
   "verdict": "it depends",
   "on": "the task",
   "seconds": 7.5
  },
  "15": {
   "verdict": "true",
   "seconds": 0.016
  },
  "16": {
   "verdict": "it depends",
   "on": "which half is meant",
   "seconds": 5.8
  },
  "17": {
   "verdict": "it depends",
   "on": "a norm beside them",
   "seconds": 1
  },
  "18": {
   "verdict": "true",
   "seconds": 1.2
  },
  "19": {
   "verdict": "it depends",
   "on": "the task and the layer",
   "seconds": 2.7
  },
  "20": {
   "verdict": "true",
   "seconds": 0.024
  },
  "21": {
   "verdict": "it depends",
   "on": "n > d_v + 1",
   "seconds": 0.11
  },
  "22": {
   "verdict": "false",
   "seconds": 0.01
  },
  "23": {
   "verdict": "false",
   "seconds": 0.00063
  }
 }
};
