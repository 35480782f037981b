// The verdicts of the claims at each value of their scales: written by npm run turns.
// prettier-ignore
export const turns = {
 "variant": "simd",
 "cards": {
  "1": {
   "when": "2026-11-29",
   "seconds": 16,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "2": {
   "when": "2026-11-29",
   "seconds": 300,
   "seeds": 3,
   "verdicts": [
    [ "false", "it depends", "false" ],
    [ "false", "it depends" ]
   ]
  },
  "3": {
   "when": "2026-11-28",
   "seconds": 1.5,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true", "true", "true" ],
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "4": {
   "when": "2026-11-28",
   "seconds": 0.32,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "5": {
   "when": "2026-11-28",
   "seconds": 3.2,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends" ]
   ]
  },
  "6": {
   "when": "2026-11-29",
   "seconds": 110,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "7": {
   "when": "2026-11-28",
   "seconds": 9.5,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true", "true", "true" ]
   ]
  },
  "8": {
   "when": "2026-11-29",
   "seconds": 11,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "9": {
   "when": "2026-11-28",
   "seconds": 0.69,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "10": {
   "when": "2026-11-28",
   "seconds": 0.1,
   "seeds": 0,
   "verdicts": [
    [ "true", "true", "true", "true" ]
   ]
  },
  "11": {
   "when": "2026-11-28",
   "seconds": 9.9,
   "seeds": 3,
   "verdicts": [
    [ "false", "false", "false", "false", "false" ],
    [ "false", "false", "false", "false", "false" ],
    [ "false", "false", "false", "false" ]
   ]
  },
  "12": {
   "when": "2026-11-28",
   "seconds": 4.6,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true", "true" ]
   ]
  },
  "13": {
   "when": "2026-11-29",
   "seconds": 120,
   "seeds": 3,
   "verdicts": [
    [ "true", "it depends" ],
    [ "it depends", "false" ],
    [ "true", "it depends", "it depends" ]
   ]
  },
  "14": {
   "when": "2026-11-29",
   "seconds": 95,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "true" ],
    [ "true", "it depends" ]
   ]
  },
  "15": {
   "when": "2026-11-28",
   "seconds": 1.8,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "16": {
   "when": "2026-11-29",
   "seconds": 42,
   "seeds": 3,
   "verdicts": [
    [ "true", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "17": {
   "when": "2026-11-29",
   "seconds": 12,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true" ],
    [ "true", "true", "true", "true" ]
   ]
  },
  "18": {
   "when": "2026-11-29",
   "seconds": 15,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true" ],
    [ "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "19": {
   "when": "2026-11-29",
   "seconds": 120,
   "seeds": 3,
   "verdicts": [
    [ "false", "it depends", "it depends" ],
    [ "false", "it depends", "true" ],
    [ "true", "it depends", "it depends" ]
   ]
  },
  "20": {
   "when": "2026-11-28",
   "seconds": 1.9,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true" ],
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true", "true" ]
   ]
  },
  "21": {
   "when": "2026-11-29",
   "seconds": 68,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "22": {
   "when": "2026-11-28",
   "seconds": 0.12,
   "seeds": 0,
   "verdicts": [
    [ "false", "false", "false", "false" ]
   ]
  },
  "23": {
   "when": "2026-11-28",
   "seconds": 0.0023,
   "seeds": 0,
   "verdicts": [
    [ "true", "it depends", "it depends", "it depends", "it depends" ]
   ]
  },
  "24": {
   "when": "2026-11-29",
   "seconds": 3.2,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "true", "it depends", "it depends", "it depends" ]
   ]
  },
  "25": {
   "when": "2026-11-29",
   "seconds": 69,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "26": {
   "when": "2026-11-29",
   "seconds": 56,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "27": {
   "when": "2026-11-29",
   "seconds": 72,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "28": {
   "when": "2026-11-29",
   "seconds": 41,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "29": {
   "when": "2026-11-29",
   "seconds": 0.3,
   "seeds": 3,
   "verdicts": [
    [ "true", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "30": {
   "when": "2026-11-28",
   "seconds": 1.1,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends" ]
   ]
  },
  "31": {
   "when": "2026-11-28",
   "seconds": 2,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true", "true" ],
    [ "true", "true", "true" ]
   ]
  },
  "32": {
   "when": "2026-11-29",
   "seconds": 50,
   "seeds": 3,
   "verdicts": [
    [ "false", "it depends", "false", "false" ],
    [ "it depends", "it depends", "false" ],
    [ "it depends", "it depends", "it depends", "it depends" ]
   ]
  },
  "33": {
   "when": "2026-11-29",
   "seconds": 8.6,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "34": {
   "when": "2026-11-29",
   "seconds": 13,
   "seeds": 3,
   "verdicts": [
    [ "false", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "true", "true", "true" ],
    [ "false", "it depends", "it depends", "true" ]
   ]
  },
  "35": {
   "when": "2026-11-29",
   "seconds": 91,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "36": {
   "when": "2026-11-29",
   "seconds": 80,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends" ]
   ]
  },
  "37": {
   "when": "2026-11-28",
   "seconds": 0.51,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "true" ],
    [ "true", "true", "true", "true" ]
   ]
  },
  "38": {
   "when": "2026-11-29",
   "seconds": 790,
   "seeds": 3,
   "verdicts": [
    [ "true", "true", "true", "it depends", "it depends" ],
    [ "true", "true", "it depends", "true" ],
    [ "true", "it depends", "it depends", "it depends" ],
    [ "true", "it depends", "it depends", "it depends" ],
    [ "true", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "39": {
   "when": "2026-11-29",
   "seconds": 16,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "40": {
   "when": "2026-11-29",
   "seconds": 290,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "41": {
   "when": "2026-11-29",
   "seconds": 140,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "42": {
   "when": "2026-11-30",
   "seconds": 360,
   "seeds": 3,
   "verdicts": [
    [ "false", "false", "false" ],
    [ "false", "false", "false" ],
    [ "false", "false", "false" ],
    [ "false", "false", "false" ],
    [ "false", "false", "false" ]
   ]
  },
  "43": {
   "when": "2026-11-30",
   "seconds": 100,
   "seeds": 3,
   "verdicts": [
    [ "false", "false", "false" ],
    [ "false", "false", "false" ]
   ]
  },
  "44": {
   "when": "2026-11-30",
   "seconds": 240,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "false", "it depends" ]
   ]
  },
  "45": {
   "when": "2026-11-30",
   "seconds": 97,
   "seeds": 3,
   "verdicts": [
    [ "false", "false" ],
    [ "false", "false", "false" ],
    [ "false", "false", "false" ]
   ]
  },
  "46": {
   "when": "2026-11-30",
   "seconds": 19,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "false" ],
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "47": {
   "when": "2026-11-30",
   "seconds": 170,
   "seeds": 3,
   "verdicts": [
    [ "false", "false", "false" ],
    [ "false", "false", "false" ],
    [ "false", "false", "false" ]
   ]
  },
  "48": {
   "when": "2026-11-30",
   "seconds": 230,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "49": {
   "when": "2026-11-30",
   "seconds": 130,
   "seeds": 3,
   "verdicts": [
    [ "it depends", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  },
  "50": {
   "when": "2026-11-30",
   "seconds": 55,
   "seeds": 3,
   "verdicts": [
    [ "false", "false", "false" ],
    [ "false", "false", "false" ]
   ]
  },
  "51": {
   "when": "2026-11-30",
   "seconds": 120,
   "seeds": 3,
   "verdicts": [
    [ "false", "it depends", "it depends" ],
    [ "it depends", "it depends", "it depends" ]
   ]
  }
 }
};
