import { testArea } from './asked.ts'

testArea('conversations')
