import { chaosOn } from './chaosOn.ts'

chaosOn('embedded', 2)
