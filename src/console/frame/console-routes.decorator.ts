import { applyDecorators, Controller, Post, UseFilters } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { ConsoleProblemFilter } from './problems.filter.js';

/** The pages below a path: no part of the API, and a problem is a page too. */
export const ConsoleController = (path = '/') =>
  applyDecorators(Controller(path), ApiExcludeController(), UseFilters(ConsoleProblemFilter));

/** A route that reads a form. */
export const PostForm = (path = '/') => applyDecorators(Post(path), RouteConfig({ takesForm: true }));
