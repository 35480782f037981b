// Durations in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutText, durationText } from '../../../web/draw/duration.js';

test('an estimate has one digit and is never nothing; long ones are in minutes', () => {
  assert.deepEqual([0, 0.2, 1.4, 37, 89, 90, 3600].map(aboutText), [
    ...['about 1 s', 'about 1 s', 'about 1 s', 'about 40 s', 'about 90 s', 'about 2 minutes', 'about 60 minutes'],
  ]);
});

test('what was measured is in the unit that shows it', () => {
  assert.deepEqual([0, 4e-4, 0.0123, 0.9996, 3.44, 89, 600].map(durationText), [
    ...['less than 1 ms', 'less than 1 ms', '12 ms', '1.0 s', '3.4 s', '89.0 s', '10 minutes'],
  ]);
});
