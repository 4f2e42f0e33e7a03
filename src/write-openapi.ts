import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { readEnv } from './config/read-env.js';
import { createOpenApiDocument } from './docs/openapi.js';

/** Writes `openapi.json` from the code. A preview creates no providers and makes no connections, so the URL is never used. */
const env = { ...readEnv({}), DATABASE_URL: 'postgresql://nowhere' };
const app = await NestFactory.create(AppModule.forRoot(env), { preview: true, logger: ['error'] });
await writeFile('openapi.json', `${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`);
