/** Writes the corpus as the engine decides now. The commit says why decisions change. */
import { writeFileSync } from 'node:fs'
import { CORPUS_FILE, corpusNow } from './corpus.ts'

writeFileSync(CORPUS_FILE, corpusNow())
