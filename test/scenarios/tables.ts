import { LABELS } from './labels.ts'
import { OPERATORS } from './operators.ts'
import type { Scenarios } from './scenario.ts'

export const TABLES: { readonly [concept: string]: Scenarios } = { labels: LABELS, operators: OPERATORS }
