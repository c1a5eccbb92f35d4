import { chaosOn } from './chaosOn.ts'

chaosOn('real')
