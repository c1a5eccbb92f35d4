/** Writes the corpus with the decisions of the present engine. The commit must say why decisions change. */
import { writeFileSync } from 'node:fs'
import { CORPUS_FILE, corpusNow } from './corpus.ts'

writeFileSync(CORPUS_FILE, corpusNow())
