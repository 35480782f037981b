import { testPrograms } from './native-programs.js';

testPrograms({ long: true });
