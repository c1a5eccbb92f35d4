import type { Result } from '../shared/base/result.ts'
import type { Problem } from '../shared/model/problem.ts'
import { type Config, readConfig } from './config.ts'

/** The settings of this process. */
export const givenConfig: Result<Config, readonly Problem[]> = readConfig(process.env)
