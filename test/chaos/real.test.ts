import { chaosOn } from './chaosOn.ts'

chaosOn('real', 1)
