import { Controller, Get, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import type { HtmlResponse } from '../http/responses/html-response.js';
import { Public, Route } from '../http/route.js';
import { ICON, ProblemPage } from './frame.js';
import { STYLESHEET } from './style.js';
import { UnsubscribeService } from './unsubscribe.service.js';

/** A mail program may cut the token off. */
const PATHS = [':token', ''];

/** Omitted from the API documentation: recipients and their mail programs call it, and docs/unsubscribe.md describes it. */
@Controller('u')
@ApiExcludeController()
@Route({ response: 'html', body: 'unread', errorPage: ProblemPage })
@Public('Recipients have no API key; the token in the URL says who they are.')
export class UnsubscribeController {
  constructor(private readonly unsubscribe: UnsubscribeService) {}

  @Get('page.css')
  stylesheet(): HtmlResponse {
    return STYLESHEET;
  }

  @Get('icon.svg')
  icon(): HtmlResponse {
    return ICON;
  }

  /** Changes nothing, since scanners follow links. */
  @Get(PATHS)
  show(@Req() request: Request, @Param('token') token = ''): Promise<HtmlResponse> {
    return this.unsubscribe.show(request, token);
  }

  @Post(PATHS)
  @HttpCode(HttpStatus.OK)
  act(@Req() request: Request, @Param('token') token = ''): Promise<HtmlResponse> {
    return this.unsubscribe.act(request, token);
  }
}
