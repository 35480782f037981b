// `node works.mjs PROGRAM`: whether that is a Chromium which the tests can drive.
import { chromium } from 'playwright-core';
import { FLAGS } from '../web/engines.js';

const browser = await chromium.launch({ executablePath: process.argv[2], args: FLAGS });
const page = await browser.newPage();
await page.goto('data:text/html,<p>works');
await page.locator('p').waitFor();
await browser.close();
